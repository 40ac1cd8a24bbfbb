/** One dashboard of Grafana as data (its docs, "Dashboard JSON model"). Pure. */
import type { Settings } from "../../config/settings.ts";
import { DATA_API_SERVICE } from "../plan/ownServices.ts";
import { ownRouteName } from "../plan/objectNames.ts";
import { jobOf, requestsByRoute, type Routed } from "./alerts.ts";
import { IDENTITY_TARGET, type Target } from "./targets.ts";

/** A graph: its title, its unit, and the expression and legend of each line. */
interface Graph {
  readonly title: string;
  readonly unit: "reqps" | "s" | "short" | "dtdurations" | "percentunit";
  readonly type?: "stat" | "table";
  readonly lines: readonly { readonly expr: string; readonly legend: string }[];
}

const COLUMNS = 24;
const WIDTH = 12;
const HEIGHT = 8;
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

/**
 * Returns the dashboard of a stack.
 * @param read the targets that Prometheus scrapes
 */
export function dashboard(settings: Settings, plan: Routed, read: readonly Target[]): object {
  const has = (name: string): boolean => read.some((target) => target.name === name);
  const shown = [
    ...gateway(settings, plan),
    ...(has(IDENTITY_TARGET) ? identity(jobOf(settings, IDENTITY_TARGET)) : []),
    ...(settings.verification?.pushgateway === undefined ? [] : verification(settings)),
    ...(settings.dataApi ? data(settings.dataApi.namespace) : []),
    ...(has("gatehouse-data-api") ? postgrest() : []),
    ...(has("gatehouse-postgres") ? postgres() : []),
  ];
  return {
    uid: `gatehouse-${settings.stack}`.slice(0, 40),
    title: `Gatehouse: ${settings.stack}`,
    tags: ["gatehouse"],
    schemaVersion: 39,
    editable: false,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: shown.map(panel),
  };
}

function panel({ title, unit, type, lines }: Graph, index: number): object {
  const perRow = COLUMNS / WIDTH;
  return {
    id: index + 1,
    title,
    type: type ?? "timeseries",
    datasource: DATASOURCE,
    gridPos: { x: (index % perRow) * WIDTH, y: Math.floor(index / perRow) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: lines.map(({ expr, legend }, line) => ({
      refId: String.fromCharCode(65 + line),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(type === undefined ? {} : { instant: true }),
      ...(type === "table" ? { format: "table" } : {}),
    })),
  };
}

/** Returns the lines of the median and of the slowest hundredth. @param rate of the buckets of a histogram, by `le` */
function quantiles(rate: string): Graph["lines"] {
  return [0.5, 0.99].map((part) => ({ expr: `histogram_quantile(${part}, ${rate})`, legend: `p${part * 100}` }));
}

function gateway(settings: Settings, plan: Routed): Graph[] {
  const rate = (metric: string, by: string, filter = "") => `sum by (${by}) (rate(${metric}${filter}[5m]))`;
  return [
    {
      title: "Requests by route and status",
      unit: "reqps",
      lines: [
        { expr: `sum by (route, code) (${requestsByRoute(settings, plan, ".+")})`, legend: "{{route}} {{code}}" },
      ],
    },
    {
      title: "Server errors by route",
      unit: "reqps",
      lines: [{ expr: `sum by (route) (${requestsByRoute(settings, plan, "5..")})`, legend: "{{route}}" }],
    },
    {
      title: "Requests that found no route (404) or no session (401)",
      unit: "reqps",
      lines: [{ expr: rate("traefik_entrypoint_requests_total", "code", '{code=~"401|404"}'), legend: "{{code}}" }],
    },
    {
      title: "Response time, all requests",
      unit: "s",
      lines: quantiles(rate("traefik_entrypoint_request_duration_seconds_bucket", "le")),
    },
  ];
}

function identity(job: string): Graph[] {
  const of = `{job="${job}",type!="ping"}`;
  return [
    {
      title: "Forward auth: response time",
      unit: "s",
      lines: quantiles(`sum by (le) (rate(authentik_outpost_proxy_request_duration_seconds_bucket${of}[5m]))`),
    },
    {
      title: "Forward-auth requests by outpost",
      unit: "reqps",
      lines: [
        {
          expr: `sum by (outpost_name) (rate(authentik_outpost_proxy_request_duration_seconds_count${of}[5m]))`,
          legend: "{{outpost_name}}",
        },
      ],
    },
  ];
}

function verification({ stack, dataApi }: Settings): Graph[] {
  const of = `{stack="${stack}"}`;
  const age: Graph = {
    title: "Age of the data by source",
    unit: "dtdurations",
    type: "table",
    lines: [
      {
        expr: `sort_desc(time() - max by (source) (gatehouse_data_last_ingested_timestamp_seconds${of}))`,
        legend: "{{source}}",
      },
    ],
  };
  return [
    {
      title: "Checks of the last verify",
      unit: "short",
      type: "stat",
      lines: [{ expr: `sum by (state) (gatehouse_verify_checks${of})`, legend: "{{state}}" }],
    },
    {
      title: "Since the last verify, and the last one without a failed check",
      unit: "dtdurations",
      type: "stat",
      lines: [
        { expr: `time() - max(gatehouse_verify_last_run_timestamp_seconds${of})`, legend: "run" },
        { expr: `time() - max(gatehouse_verify_last_success_timestamp_seconds${of})`, legend: "success" },
      ],
    },
    {
      title: "Certificates: time left",
      unit: "dtdurations",
      type: "table",
      lines: [
        {
          expr: `sort(min by (host) (gatehouse_certificate_expiry_timestamp_seconds${of}) - time())`,
          legend: "{{host}}",
        },
      ],
    },
    ...(dataApi ? [age] : []),
  ];
}

function data(namespace: string): Graph[] {
  const route = `${namespace}-${ownRouteName("data-api", undefined)}-.*`;
  // Those of PostgREST alone: what the gateway refuses by itself takes no time. Traefik names a Service behind a TraefikService by its port.
  const service = `${namespace}-${DATA_API_SERVICE.name}-[^-]+@kubernetescrd`;
  const bucket = `traefik_service_request_duration_seconds_bucket{service=~"${service}"}`;
  return [
    {
      title: "Data API: response time",
      unit: "s",
      lines: quantiles(`sum by (le) (rate(${bucket}[5m]))`),
    },
    {
      title: "Data API: refused by the limits (429)",
      unit: "reqps",
      lines: [
        {
          expr: `sum(rate(traefik_router_requests_total{code="429",router=~"${route}"}[5m]))`,
          legend: "429",
        },
      ],
    },
  ];
}

function postgrest(): Graph[] {
  return [
    {
      title: "PostgREST: connections to the database",
      unit: "short",
      lines: [
        { expr: "sum(pgrst_db_pool_available)", legend: "free" },
        { expr: "sum(pgrst_db_pool_waiting)", legend: "requests that wait" },
        { expr: "sum(pgrst_db_pool_max)", legend: "maximum" },
      ],
    },
  ];
}

function postgres(): Graph[] {
  return [
    {
      title: "Postgres: replicas behind the primary",
      unit: "s",
      lines: [{ expr: "max by (pod) (cnpg_pg_replication_lag)", legend: "{{pod}}" }],
    },
    {
      title: "Postgres: sessions",
      unit: "short",
      lines: [{ expr: "sum by (datname) (cnpg_backends_total)", legend: "{{datname}}" }],
    },
  ];
}
