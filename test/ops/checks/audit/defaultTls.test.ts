/** Objects named `default` of the kinds TLSOption and TLSStore. */
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { audit } from "../../../../ops/checks/audit/audit.ts";
import type { Manifest } from "../../../../manifests/resource.ts";
import { shell, stack } from "../../../config/stacks.ts";
import { clusterOf, GATEWAY, object, withObjects } from "./cluster.ts";

const external = { enabled: true, base_domain: "example.org", targets: ["203.0.113.7"], tls: { resolver: "le" } };
const planOf = (domains: object) => computePlan(parseStack(stack({ domains }), shell));
const plan = planOf({ localhost: {}, external });
const cluster = clusterOf(plan);
const hosts = plan.exposures.map(({ host }) => host).filter((host) => host.endsWith(".example.org"));

const tls = (kind: string, place: string): Manifest =>
  object("traefik.io/v1alpha1", kind, place, { spec: { minVersion: "VersionTLS10" } });
const findings = (...objects: readonly Manifest[]) =>
  audit(withObjects(cluster, ...objects), plan, { context: "prod", given: "prod", gateway: GATEWAY });

describe.each([
  [
    "TLSOption",
    "tlsoption.traefik.io",
    "sets the TLS options of all hosts, such as the minimum version and the authorities of client certificates",
    "so Traefik ignores them all, and uses its built-in TLS options, without client certificates",
  ],
  [
    "TLSStore",
    "tlsstore.traefik.io",
    "sets the default certificate of all hosts",
    "so Traefik ignores them all, and its default certificate is self-signed",
  ],
])("a %s named default", (kind, resource, alone, several) => {
  test("is a warning outside of the gateway's namespace", () => {
    const found = findings(tls(kind, "evil/default"));
    expect(found.map(({ severity, subject, message }) => [severity, subject, message])).toEqual([
      ["warning", `${kind} evil/default`, alone],
    ]);
    expect(found[0]?.hosts.toSorted()).toEqual(hosts.toSorted());
    expect(found[0]?.hint).toBe(
      `if it is the operator's, move it to the namespace kube-system, or accept it (--accept "${kind} evil/default"); otherwise remove it (kubectl --context prod delete ${resource} default --namespace evil)`,
    );
  });

  test("is an error if there are several, because Traefik then ignores that of the operator", () => {
    const found = findings(tls(kind, "evil/default"), tls(kind, "kube-system/default"));
    expect(found.map(({ severity, subject, message }) => [severity, subject, message])).toEqual([
      ["error", `${kind} evil/default`, `is defined in the namespaces evil, kube-system, ${several}`],
    ]);
  });

  test("is accepted in the gateway's namespace, under another name, and for a plan without TLS", () => {
    expect(findings(tls(kind, "kube-system/default"), tls(kind, "evil/modern"))).toEqual([]);
    const local = planOf({ localhost: {} });
    const objects = withObjects(clusterOf(local), tls(kind, "evil/default"));
    expect(audit(objects, local, { context: "prod", given: "prod", gateway: GATEWAY })).toEqual([]);
  });
});
