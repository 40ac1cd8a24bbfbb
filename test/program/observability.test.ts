import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { readStackFile } from "../../config/load.ts";
import program from "../../infra/index.ts";
import type { Alert, AlertGroup } from "../../infra/observability/alerts.ts";
import { stack } from "../config/stacks.ts";
import { failures } from "../helpers/failures.ts";
import { CATALOG_FILES } from "../helpers/catalogFiles.ts";
import { configure, deploy, NO_SERVERS, PATIENCE } from "../helpers/program.ts";
import { Recorder } from "../helpers/recorder.ts";
import { METRICS } from "../helpers/metrics.ts";

const root = join(import.meta.dirname, "..", "..");
const OPERATOR = "monitoring.coreos.com";
const POD_MONITOR = `${OPERATOR}/v1:PodMonitor`;
const RULE = `${OPERATOR}/v1:PrometheusRule`;
const POLICY = "networking.k8s.io/v1:NetworkPolicy";

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}
interface Shown {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Resources without order between them are registered in any. */
const byName = (a: readonly unknown[], b: readonly unknown[]): number => String(a[0]).localeCompare(String(b[0]));
const alertsOf = (recorder: Recorder): readonly Alert[] =>
  (recorder.objects<{ spec: { groups: AlertGroup[] } }>(RULE).get("monitoring/gatehouse")?.spec.groups ?? []).flatMap(
    ({ rules }) => rules,
  );
const dashboardOf = (recorder: Recorder): Shown =>
  JSON.parse(
    recorder.objects<{ data: Record<string, string> }>("core/v1:ConfigMap").get("monitoring/gatehouse-dashboard")?.data[
      "gatehouse.json"
    ] ?? "{}",
  ) as Shown;

describe("the production stack", () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await deploy(readStackFile(join(root, "Pulumi.production.yaml"), "production"));
  }, PATIENCE);

  test("has PodMonitors in the namespace of Prometheus, with its labels", () => {
    const monitors = [...recorder.objects<Record<string, unknown>>(POD_MONITOR)].map(([name, { metadata, spec }]) => [
      name,
      (metadata as { labels: unknown }).labels,
      spec,
    ]);
    const labels = { release: "prometheus" };
    const monitor = (name: string, namespace: string, matchLabels: Record<string, string>, port: string) => [
      `monitoring/${name}`,
      labels,
      { namespaceSelector: { matchNames: [namespace] }, selector: { matchLabels }, podMetricsEndpoints: [{ port }] },
    ];
    const ours = { "app.kubernetes.io/part-of": "gatehouse" };
    expect(monitors.sort(byName)).toEqual([
      monitor("gatehouse-data-api", "gatehouse-data", { "app.kubernetes.io/name": "postgrest", ...ours }, "admin"),
      monitor("gatehouse-gateway", "kube-system", { "app.kubernetes.io/name": "traefik" }, "metrics"),
      monitor("gatehouse-identity", "authentik", ours, "metrics"),
      monitor("gatehouse-postgres", "postgres", { "cnpg.io/cluster": "postgres" }, "metrics"),
    ]);
  });

  test("allows Prometheus to connect to those ports only, and changes nothing for the gateway's pods", () => {
    const policies = [...recorder.objects<{ spec: unknown }>(POLICY)].filter(([name]) => name.includes("/gatehouse-"));
    const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];
    const policy = (place: string, matchLabels: Record<string, string>, port: number) => [
      place,
      {
        podSelector: { matchLabels },
        policyTypes: ["Ingress"],
        ingress: [{ from, ports: [{ protocol: "TCP", port }] }],
      },
    ];
    const ours = { "app.kubernetes.io/part-of": "gatehouse" };
    const read = policies.filter(([name]) => !name.startsWith("gatehouse-verification/"));
    expect(read.map(([name, { spec }]) => [name, spec] as const).sort(byName)).toEqual([
      policy("authentik/gatehouse-identity", ours, 9300),
      policy("gatehouse-data/gatehouse-data-api", { "app.kubernetes.io/name": "postgrest", ...ours }, 3001),
      policy("postgres/gatehouse-postgres", { "cnpg.io/cluster": "postgres" }, 9187),
    ]);
  });

  test("declares every port that a PodMonitor names", () => {
    const ports = recorder.of("kubernetes:apps/v1:Deployment").flatMap(({ inputs }) => {
      const { metadata, spec } = inputs as {
        metadata: { name: string };
        spec: { template: { spec: { containers: { ports: { name: string; containerPort: number }[] }[] } } };
      };
      const declared = spec.template.spec.containers.flatMap((container) => container.ports);
      const workload = metadata.name.replace(/-[0-9a-f]{8}$/, "");
      return declared.filter(({ name }) => name !== "http").map((port) => [workload, port]);
    });
    expect(ports).toEqual([
      ["authentik-server", { name: "metrics", containerPort: 9300 }],
      ["authentik-worker", { name: "metrics", containerPort: 9300 }],
      ["gatehouse-outpost-staff", { name: "metrics", containerPort: 9300 }],
      ["gatehouse-outpost-partners-staff", { name: "metrics", containerPort: 9300 }],
      ["postgrest", { name: "admin", containerPort: 3001 }],
    ]);
  });

  test("has no database password in the address that PostgREST's admin port prints", () => {
    const secrets = recorder.of("kubernetes:core/v1:Secret").map(({ inputs }) => inputs["stringData"]);
    const reading = secrets.filter((data) => data !== undefined && "PGRST_DB_URI" in (data as object));
    expect(reading).toEqual([
      {
        PGRST_DB_URI:
          "postgres://gatehouse_authenticator@postgres-ro.postgres.svc:5432,postgres-rw.postgres.svc:5432/gatehouse" +
          "?sslmode=require&target_session_attrs=prefer-standby&connect_timeout=5",
        PGPASSWORD: "canary-data_authenticator_password",
      },
    ]);
  });

  test("has an alert for each documented condition", () => {
    const alerts = alertsOf(recorder);
    expect(
      alerts.map(({ alert, labels, for: duration }) => `${alert} ${labels.severity} ${duration ?? "at once"}`),
    ).toEqual([
      ...Array.from({ length: 4 }, () => "GatehouseMetricsMissing warning 10m"),
      "GatehouseRouterMetricsOff warning 30m",
      "GatehouseServerErrors critical 10m",
      "GatehouseForwardAuthSlow critical 10m",
      "GatehouseVerifyJobFailed critical at once",
      "GatehouseVerifyFailed critical at once",
      "GatehouseVerifyNotRun critical 1h",
      "GatehouseVerifyNotRun critical 2h",
      "GatehouseCertificateExpires critical 1h",
      "GatehouseDataLate warning 1h",
    ]);
    expect(alerts.slice(0, 4).map(({ expr }) => expr)).toEqual(
      ["gateway", "identity", "data-api", "postgres"].map((of) => `absent(up{job="monitoring/gatehouse-${of}"} == 1)`),
    );
  });

  test("links each alert to its paragraph and to diagnose", () => {
    const page = readFileSync(join(root, "docs", "operations", "alerts.md"), "utf8");
    const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    const alerts = alertsOf(recorder);
    expect([...new Set(alerts.map(({ alert }) => alert))]).toEqual(titles);
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`);
      expect(annotations.diagnose).toBe("npx gatehouse diagnose production");
    }
  });

  test("uses existing metrics only, in alerts and on the dashboard", () => {
    const { panels, title } = dashboardOf(recorder);
    const exprs = [
      ...alertsOf(recorder).map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(title).toBe("Gatehouse: local");
    expect(panels.map((panel) => panel.title)).toEqual([
      "Requests by route and status",
      "Server errors by route",
      "Requests that found no route (404) or no session (401)",
      "Response time, all requests",
      "Forward auth: response time",
      "Forward-auth requests by outpost",
      "Checks of the last verify",
      "Since the last verify, and the last one without a failed check",
      "Certificates: time left",
      "Age of the data by source",
      "Data API: response time",
      "Data API: refused by the limits (429)",
      "PostgREST: connections to the database",
      "Postgres: replicas behind the primary",
      "Postgres: sessions",
    ]);
    const known = new Set(Object.values(METRICS).flat());
    for (const expr of exprs) expect([expr, unknown(expr, known)]).toEqual([expr, []]);
    const cells = panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
    expect(new Set(cells).size).toBe(cells.length);
  });
});

/** Names in an expression that are neither a function, a keyword nor a known metric. */
function unknown(expr: string, known: ReadonlySet<string>): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, "")
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "")
    .replace(/(by|on) ?\([^)]*\)/g, "");
  const words = new Set(
    "sum max min rate increase absent time histogram_quantile sort sort_desc label_replace vector and or bool".split(
      " ",
    ),
  );
  return (bare.match(/[a-z][a-z0-9_]*/g) ?? []).filter((name) => !words.has(name) && !known.has(name));
}

test(
  "states no labels without any, which the API server does not store",
  async () => {
    const recorder = await deploy(stack({ observability: { namespace: "monitoring" } }));
    const objects = [POD_MONITOR, RULE].flatMap((type) => [...recorder.objects<{ metadata: object }>(type).values()]);
    expect(objects.length).toBeGreaterThan(1);
    expect(objects.filter(({ metadata }) => "labels" in metadata)).toEqual([]);
  },
  PATIENCE,
);

describe("without the Prometheus operator", () => {
  const observability = { namespace: "monitoring", dashboard: false };

  test("refuses a stack that requires it before the first resource", async () => {
    const kinds = ["traefik.io/v1alpha1/IngressRoute", "traefik.io/v1alpha1/Middleware"];
    const facts = { version: "v1.36.3", uid: undefined, kinds, traefik: undefined, identityService: undefined };
    const servers = { ...NO_SERVERS, clusterFacts: () => Promise.resolve(facts) };
    const recorder = new Recorder();
    await pulumi.runtime.setMocks(recorder, "gatehouse", "dev", false);
    configure(stack({ observability }, { "kubernetes:context": { value: "somewhere" } }));
    expect(await failures(() => program({ readCatalog: () => CATALOG_FILES, servers }))).toEqual([
      expect.stringContaining('cluster "somewhere" does not serve PodMonitor'),
    ]);
    expect(recorder.resources.map(({ type }) => type)).toEqual(["pulumi:pulumi:Stack", "gatehouse:index:Gatehouse"]);
  });

  test(
    "creates neither monitors nor a dashboard for a stack without the section",
    async () => {
      const without = await deploy(stack());
      expect([...without.objects(POD_MONITOR).keys(), ...without.objects(RULE).keys()]).toEqual([]);
      const quiet = await deploy(stack({ observability }));
      expect([...quiet.objects(RULE).keys()]).toEqual(["monitoring/gatehouse"]);
      expect(dashboardOf(quiet)).toEqual({});
    },
    PATIENCE,
  );

  test(
    "creates no monitor for an older PostgREST, which has no metrics",
    async () => {
      const data_api = { domains: "auto", version: "v12.0.2", authenticator_password: "${A}", owner_password: "${O}" };
      const old = await deploy(stack({ observability, data_api }));
      expect([...old.objects(POD_MONITOR).keys()]).toEqual([
        "monitoring/gatehouse-gateway",
        "monitoring/gatehouse-identity",
      ]);
    },
    PATIENCE,
  );
});
