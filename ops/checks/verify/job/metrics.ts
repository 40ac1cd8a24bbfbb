import { Gauge, Pushgateway, Registry } from "prom-client";
import type { State } from "../../check.ts";
import type { SourceTimes } from "./freshness.ts";

interface Run {
  readonly stack: string;
  readonly checks: Readonly<Record<State, number>>;
  readonly seconds: number;
  readonly expiries: ReadonlyMap<string, Date>;
  readonly sources?: readonly SourceTimes[];
}

const TIMEOUT_MS = 10_000;
const SOURCE_TIMES = [
  ["gatehouse_data_last_ingested_timestamp_seconds", "Time of the last ingestion of a source", "ingested"],
  ["gatehouse_data_next_expected_timestamp_seconds", "Time at which new data of a source is expected", "expected"],
] as const;

/**
 * Pushes two groups of the stack. A run adds its results to one: a run that failed leaves the time of the last success as it was. It replaces the
 * other, the certificates: after the last host with TLS was removed, there are none to add, and its certificate would expire in the group.
 * @param url of a Prometheus Pushgateway
 * @throws Error when it does not take them
 */
export async function pushMetrics(url: string, run: Run, now = Date.now()): Promise<void> {
  const groupings = { stack: run.stack };
  const gateway = (registry: Registry): Pushgateway<Registry["contentType"]> =>
    new Pushgateway(url, { timeout: TIMEOUT_MS }, registry);
  await gateway(certificatesOf(run)).push({ jobName: "gatehouse_verify_certificates", groupings });
  await gateway(metricsOf(run, now)).pushAdd({ jobName: "gatehouse_verify", groupings });
}

/** Returns the expiries of the certificates as metrics of Prometheus. */
function certificatesOf({ expiries }: Run): Registry {
  const registry = new Registry();
  const expiry = gaugeIn(registry)(
    "gatehouse_certificate_expiry_timestamp_seconds",
    "When a certificate expires.",
    "host",
  );
  for (const [host, expires] of expiries) expiry.set({ host }, expires.getTime() / 1000);
  return registry;
}

type NewGauge = (name: string, help: string, ...labelNames: string[]) => Gauge;

function gaugeIn(registry: Registry): NewGauge {
  return (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers: [registry] });
}

/** Returns the results of the checks as metrics of Prometheus. @param now milliseconds since 1970 */
export function metricsOf({ checks, seconds, sources = [] }: Run, now: number): Registry {
  const registry = new Registry();
  const gauge = gaugeIn(registry);
  const states = gauge("gatehouse_verify_checks", "Checks of the last run by state: passed, failed, skipped.", "state");
  for (const [state, number] of Object.entries(checks)) states.set({ state }, number);
  gauge("gatehouse_verify_duration_seconds", "How long the last run took.").set(seconds);
  gauge("gatehouse_verify_last_run_timestamp_seconds", "When the last run ended.").set(now / 1000);
  if (checks.failed === 0) {
    const help = "When a run last ended with no failed check.";
    gauge("gatehouse_verify_last_success_timestamp_seconds", help).set(now / 1000);
  }
  for (const [name, help, field] of SOURCE_TIMES) {
    const times = gauge(name, `${help}, as written by its pipeline.`, "source");
    for (const { source, [field]: at } of sources) if (at !== undefined) times.set({ source }, at.getTime() / 1000);
  }
  return registry;
}
