/** Findings about the Postgres server that a stack installs. */
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { namespaced } from "../../../../infra/network.ts";
import { balancedNetworks, policyOf } from "../../../../infra/postgres/networkPolicy.ts";
import { PODS } from "../../../../infra/postgres/objects.ts";
import type { Manifest } from "../../../../manifests/resource.ts";
import { audit } from "../../../../ops/checks/audit/audit.ts";
import { installedPostgres } from "../../../../ops/checks/audit/installedPostgres.ts";
import { lineOf } from "../../../../ops/checks/finding.ts";
import type { ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { shell, stack } from "../../../config/stacks.ts";
import { clusterOf, edited, GATEWAY, object, withObjects } from "./cluster.ts";

type Kind = "statefulset" | "cloudnativepg";

/** A stack with a server, and a cluster in which it is as planned. */
function stackOf(kind: Kind, fields: object = {}) {
  const settings = parseStack(stack({ postgres: { password: "${POSTGRES}", install: { kind, ...fields } } }), shell);
  const plan = computePlan(settings);
  const postgres = installedPostgres(settings);
  if (postgres === undefined) throw new Error("the stack installs no server");
  const { install, clients } = postgres;
  const labels = kind === "statefulset" ? PODS[kind] : { ...PODS[kind], "cnpg.io/instanceRole": "primary" };
  const isBalanced = install.service === "LoadBalancer";
  const clean = withObjects(
    clusterOf(plan),
    object("core/v1", "Pod", "postgres/postgres-0", {}, labels),
    object("core/v1", "Service", "postgres/postgres", {
      spec: {
        type: install.service,
        selector: labels,
        ports: [{ port: 5432 }],
        ...(isBalanced && { loadBalancerSourceRanges: balancedNetworks(install) }),
      },
    }),
    object("networking.k8s.io/v1", "NetworkPolicy", "postgres/postgres", { spec: policyOf(install, clients) }),
  );
  const found = (objects: ClusterObjects): string[] =>
    audit(objects, plan, {
      context: "dev",
      given: "dev",
      gateway: GATEWAY,
      observability: { namespace: "monitoring" },
      postgres,
    }).map((one) => `${one.subject}: ${lineOf(one)}`);
  return { clean, found };
}

function policy(from: readonly object[] | undefined, port?: number): Manifest {
  const ports = port === undefined ? {} : { ports: [{ port }] };
  const spec = { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ ...(from && { from }), ...ports }] };
  return object("networking.k8s.io/v1", "NetworkPolicy", "postgres/wide", { spec });
}

function service(spec: object): Manifest {
  return object("core/v1", "Service", "postgres/outside", { spec: { ...spec, selector: PODS.statefulset } });
}

describe("audit of an installed Postgres", () => {
  test.each([
    ["statefulset", {}],
    ["statefulset", { service: "ClusterIP", clients: ["pipelines"], allowed_from: ["10.1.0.0/16"] }],
    ["cloudnativepg", {}],
    ["cloudnativepg", { monitoring: "metrics", clients: ["pipelines"] }],
  ] as const)("finds nothing in one of kind %s as planned with %j", (kind, fields) => {
    const { clean, found } = stackOf(kind, fields);
    expect(found(clean)).toEqual([]);
  });

  test("finds a missing NetworkPolicy", () => {
    const { clean, found } = stackOf("statefulset");
    expect(found(edited(clean, "NetworkPolicy", "postgres/postgres", () => undefined))).toEqual([
      "Service postgres/postgres: no NetworkPolicy selects its pods, so any pod of the cluster can connect to the database server",
    ]);
  });

  test.each([
    ["any client", undefined],
    ["the namespace evil", [namespaced("evil")]],
    ["every namespace", [{ namespaceSelector: {} }]],
    ["the network 0.0.0.0/0", [{ ipBlock: { cidr: "0.0.0.0/0" } }]],
    ["pods of the namespace postgres", [{ podSelector: {} }]],
    ["the namespace kube-system", [namespaced("kube-system")]],
  ])("finds a NetworkPolicy that admits %s", (client, from) => {
    const { clean, found } = stackOf("statefulset");
    expect(found(withObjects(clean, policy(from, 5432)))).toEqual([
      `NetworkPolicy postgres/wide: lets ${client} connect to port 5432 of postgres/postgres`,
    ]);
    expect(found(withObjects(clean, policy(from, 80)))).toEqual([]);
  });

  test("accepts another NetworkPolicy for planned clients", () => {
    const { clean, found } = stackOf("statefulset");
    const narrow = { ...namespaced("authentik"), podSelector: { matchLabels: { app: "worker" } } };
    expect(found(withObjects(clean, policy([namespaced("authentik"), narrow])))).toEqual([]);
  });

  test("compares each port of CloudNativePG's pods with its own clients", () => {
    const { clean, found } = stackOf("cloudnativepg");
    expect(found(withObjects(clean, policy([namespaced("monitoring")], 9187)))).toEqual([]);
    expect(found(withObjects(clean, policy([namespaced("authentik")])))).toEqual([
      "NetworkPolicy postgres/wide: lets the namespace authentik connect to ports 8000, 9187 of postgres/postgres",
    ]);
  });

  test.each([
    ["type NodePort", { type: "NodePort" }],
    ["type LoadBalancer", { type: "LoadBalancer" }],
    ["the addresses 192.0.2.1", { externalIPs: ["192.0.2.1"] }],
  ])("finds another Service that exposes its pods: %s", (way, spec) => {
    const { clean, found } = stackOf("statefulset");
    expect(found(withObjects(clean, service(spec)))).toEqual([
      `Service postgres/outside: exposes the pods of postgres/postgres outside of the cluster (${way}), without the gateway`,
    ]);
  });

  test.each([
    ["LoadBalancer", { loadBalancerSourceRanges: [] }, "type LoadBalancer for any network"],
    ["LoadBalancer", { loadBalancerSourceRanges: ["10.0.0.0/8", "0.0.0.0/0"] }, "type LoadBalancer for 0.0.0.0/0"],
    ["LoadBalancer", { type: "NodePort" }, "type NodePort"],
    ["ClusterIP", { type: "LoadBalancer" }, "type LoadBalancer"],
  ])("finds a changed Service where the configuration states %s: %j", (type, spec, way) => {
    const { clean, found } = stackOf("statefulset", { service: type });
    const changed = edited(clean, "Service", "postgres/postgres", (own) => ({ ...own, ...spec }));
    expect(found(changed)).toEqual([
      `Service postgres/postgres: exposes the pods of postgres/postgres outside of the cluster (${way}), without the gateway`,
    ]);
  });

  test.each(["statefulset", "cloudnativepg"] as const)("finds a TCP route to one of kind %s", (kind) => {
    const { clean, found } = stackOf(kind);
    const name = kind === "statefulset" ? "postgres" : "postgres-ro";
    const route = object("traefik.io/v1alpha1", "IngressRouteTCP", "postgres/open", {
      spec: { entryPoints: ["postgres"], routes: [{ match: "HostSNI(`*`)", services: [{ name, port: 5432 }] }] },
    });
    expect(found(withObjects(clean, route))).toEqual([
      `IngressRouteTCP postgres/open: HostSNI(\`*\`): routes to postgres/${name} without the planned protection`,
    ]);
  });
});
