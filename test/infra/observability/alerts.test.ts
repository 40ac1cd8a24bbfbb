import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { type Alert, alertGroups } from "../../../infra/observability/alerts.ts";
import { targets } from "../../../infra/observability/targets.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { proxy, shell, stack } from "../../config/stacks.ts";

/** Returns the alerts with this name, for a stack with one service on a domain with TLS. */
function alertsNamed(name: string, verification: Record<string, unknown> = {}): Alert[] {
  const raw = stack({
    domains: { mesh: { enabled: true, base_domain: "mesh.example.org", tls: { secret: "mesh-tls" } } },
    protected_services: [proxy({})],
    observability: { namespace: "monitoring" },
    verification: { pushgateway: "http://push.monitoring:9091", ...verification },
  });
  const settings = parseStack(raw, shell);
  const plan = computePlan(settings);
  const groups = alertGroups(settings, plan, targets(settings, plan));
  return groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert === name);
}

test("counts server errors of the stack's IngressRoutes only, as one gateway counts them", () => {
  const [{ expr } = { expr: "" }] = alertsNamed("GatehouseServerErrors");
  const selectors = Array.from(
    expr.matchAll(/traefik_router_requests_total\{job="([^"]+)",router=~"([^"]+)"/g),
    ([, job, router]) => [job, router],
  );
  expect(selectors.map(([job]) => job)).toEqual(["monitoring/gatehouse-gateway", "monitoring/gatehouse-gateway"]);
  const hash = "26c66db237aa654da676";
  const routers = [
    `default-wiki-${hash}@kubernetescrd`,
    `default-gatehouse-tls-wiki-secret-mesh-tls-${hash}@kubernetescrd`,
    `authentik-gatehouse-outpost-mesh-${hash}@kubernetescrd`,
    // IngressRoutes of others, also in a namespace of the stack, an Ingress and an HTTPRoute.
    `default-blog-${hash}@kubernetescrd`,
    `default-wiki-old-${hash}@kubernetescrd`,
    "default-wiki-wiki-mesh-example-org@kubernetes",
    "httproute-default-wiki-gw-default-gateway-ep-web-0-1c0cf64bde37d9d0df06@kubernetesgateway",
  ];
  for (const [, pattern] of selectors) {
    expect(routers.filter((router) => new RegExp(`^(?:${pattern})$`).test(router))).toEqual(routers.slice(0, 3));
  }
});

test("measures each outpost by itself, as one job of Prometheus scrapes it", () => {
  const [{ expr, annotations } = { expr: "", annotations: undefined }] = alertsNamed("GatehouseForwardAuthSlow");
  expect(expr).toBe(
    "histogram_quantile(0.99, sum by (outpost_name, le) (rate(authentik_outpost_proxy_request_duration_seconds_bucket" +
      '{job="monitoring/gatehouse-identity",type!="ping"}[5m]))) > 1',
  );
  expect(annotations?.summary).toBe(
    "Forward auth of {{ $labels.outpost_name }} takes {{ $value | humanizeDuration }} for one in a hundred requests",
  );
});

test("reports a failed job by its condition, which one without a pod has as well, from any number of kube-state-metrics", () => {
  const of = 'namespace="gatehouse-verification",job_name=~"gatehouse-verify-.*"';
  expect(alertsNamed("GatehouseVerifyJobFailed").map(({ expr }) => expr)).toEqual([
    // Set operators accept several series on both sides, arithmetic does not.
    `max(kube_job_status_start_time{${of}} and on(namespace, job_name) kube_job_failed{${of},condition="true"} == 1)` +
      ' > max(kube_cronjob_status_last_successful_time{namespace="gatehouse-verification",cronjob="gatehouse-verify"} or vector(0))',
  ]);
});

test.each([
  ["17 * * * *", 2],
  ["0 3 * * *", 26],
  ["0 3 * * 1", 192],
  ["0 3 1 * *", 768],
  ["0 3 1 1 *", 8_808],
])("waits for the first run of the schedule %s as long as for any other", (schedule, hours) => {
  const run = 'gatehouse_verify_last_run_timestamp_seconds{stack="dev"}';
  expect(alertsNamed("GatehouseVerifyNotRun", { schedule }).map(({ expr, for: duration }) => [expr, duration])).toEqual(
    [
      [`time() - max(${run}) > ${hours * 3_600}`, "1h"],
      [`absent(${run})`, `${hours}h`],
    ],
  );
});
