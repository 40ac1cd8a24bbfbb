/** Alerts. Each one has a paragraph in docs/operations/alerts.md. Pure. */
import type { Settings, Verification } from "../../config/settings.ts";
import { traefikName } from "../plan/traefikName.ts";
import type { Plan } from "../plan/types.ts";
import { GATEWAY_TARGET, IDENTITY_TARGET, type Target } from "./targets.ts";

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
 * Returns all alerts of a stack.
 * @param read the targets that Prometheus scrapes
 */
export function alertGroups(settings: Settings, plan: Routed, read: readonly Target[]): AlertGroup[] {
  const newAlert = alertFactory(settings);
  const jobs = read.map(({ name }) => jobOf(settings, name));
  return [
    {
      name: "gatehouse-metrics",
      rules: [...jobs.map((job) => metricsMissing(newAlert, job)), routerMetricsOff(newAlert, settings)],
    },
    { name: "gatehouse-gateway", rules: gatewayAlerts(newAlert, settings, plan) },
    ...(settings.verification ? [{ name: "gatehouse-verify", rules: jobAlerts(newAlert, settings.verification) }] : []),
    ...(settings.verification?.pushgateway === undefined
      ? []
      : [{ name: "gatehouse-verification", rules: verificationAlerts(newAlert, settings, settings.verification) }]),
  ];
}

/** Returns the label `job` that Prometheus gives to the targets of a PodMonitor: its namespace and name. */
export function jobOf({ observability }: Settings, target: string): string {
  return `${observability?.namespace ?? ""}/${target}`;
}

/** What the metrics of routes need of the plan. */
export type Routed = Pick<Plan, "routes">;

/**
 * Returns an expression for requests per second of the stack's routes, with a label `route`: namespace and name of the IngressRoute. Traefik counts
 * each rule separately, under a name that ends with a hash of the rule, and routes that are not the stack's as well.
 * @param codes regular expression of the status
 */
export function requestsByRoute(settings: Settings, { routes }: Routed, codes: string): string {
  const names = new Set(routes.map(({ namespace, name }) => traefikName(namespace, name)));
  const router = `(${[...names].sort().join("|")})-[0-9a-f]{20}@kubernetescrd`;
  // A second job that scrapes the same pods would double the numbers.
  const job = jobOf(settings, GATEWAY_TARGET);
  const rate = `rate(traefik_router_requests_total{job="${job}",router=~"${router}",code=~"${codes}"}[5m])`;
  return `label_replace(${rate}, "route", "$1", "router", "(.+)-[0-9a-f]{20}@kubernetescrd")`;
}

type NewAlert = (
  alert: string,
  severity: Alert["labels"]["severity"],
  rule: { readonly expr: string; readonly for?: string },
  summary: string,
  description: string,
) => Alert;

/** Returns a function that creates alerts, each with a link to its paragraph and a command. */
function alertFactory({ cluster }: Settings): NewAlert {
  // The name that the deploying machine uses would change the rule with each machine.
  const [context = "CONTEXT"] = cluster.contexts;
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

function metricsMissing(newAlert: NewAlert, job: string): Alert {
  return newAlert(
    "GatehouseMetricsMissing",
    "warning",
    { expr: `absent(up{job="${job}"} == 1)`, for: "10m" },
    `No target is up for ${job}`,
    "Prometheus scraped no pod of this kind for ten minutes: alerts on its metrics cannot fire.",
  );
}

/** Returns the alert for missing metrics of routers, without which Prometheus does not count 401, 429 and 503 of the gateway itself. */
function routerMetricsOff(newAlert: NewAlert, settings: Settings): Alert {
  const job = `job="${jobOf(settings, GATEWAY_TARGET)}"`;
  return newAlert(
    "GatehouseRouterMetricsOff",
    "warning",
    {
      expr: `sum(increase(traefik_entrypoint_requests_total{${job},code!="404"}[30m])) > 0 and on() absent(traefik_router_requests_total{${job}})`,
      for: "30m",
    },
    "Traefik counts no requests by route",
    "metrics.prometheus.addRoutersLabels is off in Traefik's static configuration: GatehouseServerErrors cannot fire.",
  );
}

function gatewayAlerts(newAlert: NewAlert, settings: Settings, plan: Routed): Alert[] {
  const job = jobOf(settings, IDENTITY_TARGET);
  const bucket = `authentik_outpost_proxy_request_duration_seconds_bucket{job="${job}",type!="ping"}`;
  const responses = (codes: string) => `sum by (route) (${requestsByRoute(settings, plan, codes)})`;
  return [
    newAlert(
      "GatehouseServerErrors",
      "critical",
      { expr: `(${responses("5..")} > 0.02) / ${responses(".+")} > 0.05`, for: "10m" },
      "{{ $labels.route }} fails for {{ $value | humanizePercentage }} of its requests",
      "More than 5 % of the responses of this route are 5xx, and more than one in a minute.",
    ),
    newAlert(
      "GatehouseForwardAuthSlow",
      "critical",
      {
        // By outpost: the requests of a busy one would hide a slow one.
        expr: `histogram_quantile(0.99, sum by (outpost_name, le) (rate(${bucket}[5m]))) > 1`,
        for: "10m",
      },
      "Forward auth of {{ $labels.outpost_name }} takes {{ $value | humanizeDuration }} for one in a hundred requests",
      "Every request to a proxied service waits for the outpost first.",
    ),
  ];
}

/** Returns alerts on metrics of kube-state-metrics, which observes the job even if it pushes no metrics. */
function jobAlerts(newAlert: NewAlert, { namespace }: Verification): Alert[] {
  const jobs = `namespace="${namespace}",job_name=~"gatehouse-verify-.*"`;
  // The condition, not the number of failed pods: a Job whose pod cannot be created has none, and ends at its deadline.
  const failed = `kube_job_failed{${jobs},condition="true"} == 1`;
  // A failed Job outlives later successes (failedJobsHistoryLimit), so only one that started after the last success counts. `and` accepts several
  // series of one Job (a second replica or scrape of kube-state-metrics), which `*` does not.
  const start = `max(kube_job_status_start_time{${jobs}} and on(namespace, job_name) ${failed})`;
  const success = `max(kube_cronjob_status_last_successful_time{namespace="${namespace}",cronjob="gatehouse-verify"} or vector(0))`;
  return [
    newAlert(
      "GatehouseVerifyJobFailed",
      "critical",
      { expr: `${start} > ${success}` },
      "The last run of verify ended with an error",
      "A check failed, or the job could not run it. The log of the job lists the check.",
    ),
  ];
}

/** Returns alerts on the metrics that the job pushes. */
function verificationAlerts(newAlert: NewAlert, settings: Settings, verification: Verification): Alert[] {
  const of = `stack="${settings.stack}"`;
  const lastRun = `gatehouse_verify_last_run_timestamp_seconds{${of}}`;
  const longest = silence(verification);
  const notRun = (expr: string, duration: string): Alert =>
    newAlert(
      "GatehouseVerifyNotRun",
      "critical",
      { expr, for: duration },
      "verify does not run",
      "The deployment is not verified: no run pushed its results in the time that the schedule allows.",
    );
  return [
    newAlert(
      "GatehouseVerifyFailed",
      "critical",
      { expr: `sum(gatehouse_verify_checks{${of},state="failed"}) > 0` },
      "{{ $value }} checks of the deployment failed",
      "The last run of verify found a route, a header, a schema or a certificate that differs from the plan: a host may be open.",
    ),
    notRun(`time() - max(${lastRun}) > ${longest}`, "1h"),
    // The first run of a new stack, and the next one after a Pushgateway lost its metrics, are due by then.
    notRun(`absent(${lastRun})`, `${longest / HOUR}h`),
    newAlert(
      "GatehouseCertificateExpires",
      "critical",
      {
        expr: `min by (host) (gatehouse_certificate_expiry_timestamp_seconds{${of}}) - time() < ${14 * DAY}`,
        for: "1h",
      },
      "The certificate of {{ $labels.host }} expires in {{ $value | humanizeDuration }}",
      "A resolver renews thirty days before the end: this one did not.",
    ),
    ...(settings.dataApi ? [dataLate(newAlert, of)] : []),
  ];
}

/** Returns the seconds without a run after which an alert fires: two runs of an hourly job, else more than one of a daily, weekly, monthly or yearly one. */
function silence({ schedule }: Verification): number {
  const [, hour, day, month, weekday] = schedule.split(" ");
  if (month !== "*") return 367 * DAY;
  if (day !== "*") return 32 * DAY;
  if (weekday !== "*") return 8 * DAY;
  return hour === "*" ? 2 * HOUR : 26 * HOUR;
}

function dataLate(newAlert: NewAlert, of: string): Alert {
  return newAlert(
    "GatehouseDataLate",
    "warning",
    { expr: `time() - max by (source) (gatehouse_data_next_expected_timestamp_seconds{${of}}) > ${DAY}`, for: "1h" },
    "{{ $labels.source }} is {{ $value | humanizeDuration }} late",
    "The catalog expected new data of this source more than a day ago (meta_sources.next_expected_at).",
  );
}
