/** Alerts. Each one has a paragraph in docs/operations/alerts.md. Pure. */
import type { Settings, Verification } from "../../config/settings.ts";
import type { Target } from "./targets.ts";

/** A rule of Prometheus (its docs, "Alerting rules"). */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must be true before the alert fires. Default: 0. */
  readonly for?: string;
  readonly labels: { readonly severity: "critical" | "warning" };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook" | "diagnose", string>>;
}

export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly Alert[];
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/**
 * All alerts of a stack.
 * @param read what Prometheus reads
 */
export function alertGroups(settings: Settings, read: readonly Target[]): AlertGroup[] {
  const called = caller(settings);
  const jobs = read.map(({ name }) => jobOf(settings, name));
  return [
    { name: "gatehouse-metrics", rules: [...jobs.map((job) => missing(called, job)), unlabelled(called)] },
    { name: "gatehouse-gateway", rules: gatewayAlerts(called) },
    ...(settings.verification ? [{ name: "gatehouse-verify", rules: jobAlerts(called, settings.verification) }] : []),
    ...(settings.verification?.pushgateway === undefined
      ? []
      : [{ name: "gatehouse-verification", rules: verificationAlerts(called, settings, settings.verification) }]),
  ];
}

/** Prometheus' label `job` of a PodMonitor: its namespace and name. */
export function jobOf({ observability }: Settings, target: string): string {
  return `${observability?.namespace ?? ""}/${target}`;
}

/**
 * Requests per second with a label `route`: namespace and name of the IngressRoute. Traefik counts each rule of one apart, by a hash of it.
 * @param codes regular expression of the status
 */
export function requestsByRoute(codes: string): string {
  const rate = `rate(traefik_router_requests_total{code=~"${codes}"}[5m])`;
  return `label_replace(${rate}, "route", "$1", "router", "(.+)-[0-9a-f]{20}@kubernetescrd")`;
}

type Called = (
  alert: string,
  severity: Alert["labels"]["severity"],
  rule: { readonly expr: string; readonly for?: string },
  summary: string,
  description: string,
) => Alert;

/** Every alert has a link to its paragraph and a command. */
function caller({ context = "CONTEXT" }: Settings): Called {
  return (alert, severity, rule, summary, description) => ({
    alert,
    ...rule,
    labels: { severity },
    annotations: {
      summary,
      description,
      runbook: `docs/operations/alerts.md#${alert.toLowerCase()}`,
      diagnose: `npx gatehouse diagnose ${context}`,
    },
  });
}

function missing(called: Called, job: string): Alert {
  return called(
    "GatehouseMetricsMissing",
    "warning",
    { expr: `absent(up{job="${job}"} == 1)`, for: "10m" },
    `Nothing answers for the metrics of ${job}`,
    "No pod of this kind was read for ten minutes: alerts that build on its metrics are blind.",
  );
}

/** Without them nothing counts what the gateway itself answers: 401, 429, 503. */
function unlabelled(called: Called): Alert {
  return called(
    "GatehouseRouterMetricsOff",
    "warning",
    {
      expr: 'sum(increase(traefik_entrypoint_requests_total{code!="404"}[30m])) > 0 and on() absent(traefik_router_requests_total)',
      for: "30m",
    },
    "Traefik counts no requests by route",
    "metrics.prometheus.addRoutersLabels is off in Traefik's static configuration: GatehouseServerErrors is blind.",
  );
}

function gatewayAlerts(called: Called): Alert[] {
  const answers = (codes: string) => `sum by (route) (${requestsByRoute(codes)})`;
  return [
    called(
      "GatehouseServerErrors",
      "critical",
      { expr: `${answers("5..")} / ${answers(".+")} > 0.05 and ${answers("5..")} > 0.02`, for: "10m" },
      "{{ $labels.route }} fails for {{ $value | humanizePercentage }} of its requests",
      "More than 5 % of the answers of this route are 5xx, and more than one in a minute.",
    ),
    called(
      "GatehouseForwardAuthSlow",
      "critical",
      {
        expr: 'histogram_quantile(0.99, sum by (le) (rate(authentik_outpost_proxy_request_duration_seconds_bucket{type!="ping"}[5m]))) > 1',
        for: "10m",
      },
      "Forward auth takes {{ $value | humanizeDuration }} for one in a hundred requests",
      "Every request to a proxied service waits for the outpost first.",
    ),
  ];
}

/** By kube-state-metrics, which observes the job even if it pushes no metrics. */
function jobAlerts(called: Called, { namespace }: Verification): Alert[] {
  const jobs = `{namespace="${namespace}",job_name=~"gatehouse-verify-.*"}`;
  // A failed Job outlives later successes (failedJobsHistoryLimit), so only one that started after the last success counts.
  const failed = `max by (namespace, job_name) (kube_job_status_failed${jobs}) > bool 0`;
  const start = `max(kube_job_status_start_time${jobs} * on(namespace, job_name) (${failed}))`;
  const success = `max(kube_cronjob_status_last_successful_time{namespace="${namespace}",cronjob="gatehouse-verify"} or vector(0))`;
  return [
    called(
      "GatehouseVerifyJobFailed",
      "critical",
      { expr: `${start} > ${success}` },
      "The last run of verify ended with an error",
      "A check failed, or the job could not run it. The log of the job lists the check.",
    ),
  ];
}

/** By what the job pushes. */
function verificationAlerts(called: Called, settings: Settings, verification: Verification): Alert[] {
  const of = `stack="${settings.stack}"`;
  const lastRun = `gatehouse_verify_last_run_timestamp_seconds{${of}}`;
  return [
    called(
      "GatehouseVerifyFailed",
      "critical",
      { expr: `sum(gatehouse_verify_checks{${of},state="failed"}) > 0` },
      "{{ $value }} checks of the deployment failed",
      "The last run of verify found a route, a header, a schema or a certificate that differs from the plan: a host may be open.",
    ),
    called(
      "GatehouseVerifyNotRun",
      "critical",
      { expr: `time() - max(${lastRun}) > ${silence(verification)} or absent(${lastRun})`, for: "1h" },
      "verify does not run",
      "The deployment is not verified: two runs or more are missing.",
    ),
    called(
      "GatehouseCertificateExpires",
      "critical",
      {
        expr: `min by (host) (gatehouse_certificate_expiry_timestamp_seconds{${of}}) - time() < ${14 * DAY}`,
        for: "1h",
      },
      "The certificate of {{ $labels.host }} runs out in {{ $value | humanizeDuration }}",
      "A resolver renews thirty days before the end: this one did not.",
    ),
    ...(settings.dataApi ? [dataLate(called, of)] : []),
  ];
}

/** Seconds without a run that are too many: two runs of an hourly job, else more than one of a daily, weekly, monthly or yearly one. */
function silence({ schedule }: Verification): number {
  const [, hour, day, month, weekday] = schedule.split(" ");
  if (month !== "*") return 367 * DAY;
  if (day !== "*") return 32 * DAY;
  if (weekday !== "*") return 8 * DAY;
  return hour === "*" ? 2 * HOUR : 26 * HOUR;
}

function dataLate(called: Called, of: string): Alert {
  return called(
    "GatehouseDataLate",
    "warning",
    { expr: `time() - max by (source) (gatehouse_data_next_expected_timestamp_seconds{${of}}) > ${DAY}`, for: "1h" },
    "{{ $labels.source }} is {{ $value | humanizeDuration }} late",
    "The catalog expected new data of this source more than a day ago (meta_sources.next_expected_at).",
  );
}
