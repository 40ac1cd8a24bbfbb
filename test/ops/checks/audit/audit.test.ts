import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { packageFolder } from "../../../../config/files/folders.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Plan } from "../../../../infra/plan/types.ts";
import { audit } from "../../../../ops/checks/audit/audit.ts";
import { lineOf } from "../../../../ops/checks/finding.ts";
import type { ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { kinds, services, settingsOf, variants } from "../../../infra/plan/stacks.ts";
import { matchesRequest, matchersOf, textOf } from "../../../manifests/matchers.ts";
import { clusterOf, GATEWAY, ingressRoute, object, withObjects } from "./cluster.ts";
import { BACKENDS } from "./tampered/backends.ts";
import { CHANGED } from "./tampered/changed.ts";
import { HOSTS } from "./tampered/hosts.ts";
import { clean, plan } from "./tampered/planned.ts";
import { TRAEFIK_SERVICES } from "./tampered/traefikServices.ts";
import { samples } from "../../../helpers/full.ts";

const gateway = { context: "dev", given: "dev", gateway: GATEWAY };

/** Returns the findings, as `<object>: <message>; <evidence>`. */
function found(objects: ClusterObjects, of: Plan = plan): string[] {
  return audit(objects, of, gateway).map((one) => `${one.subject}: ${lineOf(one)}`);
}

describe("audit", () => {
  test("finds nothing in a cluster that is as planned, for any stack", () => {
    expect(audit(clean, plan, gateway)).toEqual([]);
    const property = fc.property(kinds, services, variants, (enabled, list, variant) => {
      const of = computePlan(settingsOf(enabled, list, variant));
      expect(found(clusterOf(of), of)).toEqual([]);
    });
    fc.assert(property, samples(40));
  });

  test("finds nothing for the Ingress of a tailnet in docs/tailnet.md", () => {
    const page = readFileSync(join(packageFolder(), "docs", "tailnet.md"), "utf8");
    const { spec } = parse(/```yml\n(apiVersion: networking[^`]*)```/.exec(page)?.[1] ?? "") as { spec: object };
    const ingress = object("networking.k8s.io/v1", "Ingress", "kube-system/tailnet-grafana", { spec });
    expect(found(withObjects(clean, ingress))).toEqual([]);
  });

  test.each([...HOSTS, ...TRAEFIK_SERVICES, ...BACKENDS, ...CHANGED])("finds %s", (_, objects, problem) => {
    const all = found(objects);
    expect(
      all.filter((one) => one.includes(problem)),
      all.join("\n"),
    ).not.toEqual([]);
  });

  test("ignores other hosts, Traefik's dashboard, databases over TCP and other authentication servers", () => {
    const others = withObjects(
      clean,
      ingressRoute("shop/web", "Host(`shop.example.com`) && PathPrefix(`/`)"),
      object("traefik.io/v1alpha1", "IngressRoute", "kube-system/dashboard", {
        spec: {
          entryPoints: ["traefik"],
          routes: [{ match: "PathPrefix(`/dashboard`)", services: [{ kind: "TraefikService", name: "api@internal" }] }],
        },
      }),
      object("traefik.io/v1alpha1", "Middleware", "kube-system/users", { spec: { basicAuth: { secret: "users" } } }),
      ingressRoute("kube-system/guarded-dashboard", "Host(`traefik.example.com`)", {
        middlewares: [{ name: "chain" }],
        services: [{ kind: "TraefikService", name: "api@internal" }],
      }),
      object("traefik.io/v1alpha1", "Middleware", "kube-system/chain", {
        spec: { chain: { middlewares: [{ name: "chain" }, { name: "users" }] } },
      }),
      object("core/v1", "Service", "kube-system/traefik", {
        spec: { type: "LoadBalancer", selector: GATEWAY.podLabels, ports: [{ port: 80, targetPort: "web" }] },
      }),
      ingressRoute("shop/v2", "Host(`shop.example.com`, `www.example.com`) && !Path(`/admin`)", { syntax: "v2" }),
      object("traefik.io/v1alpha1", "IngressRouteTCP", "shop/db", {
        spec: {
          entryPoints: ["postgres"],
          routes: [{ match: "HostSNI(`*`)", services: [{ name: "db", port: 5432 }] }],
        },
      }),
      object("core/v1", "Service", "shop/web", { spec: { type: "LoadBalancer", selector: { app: "web" } } }),
      ...["http://auth.shop.svc:9000/check", "https://auth.example.com", "http://whoami:8080", "no address"].map(
        (address, index) =>
          object("traefik.io/v1alpha1", "Middleware", `shop/auth-${index}`, { spec: { forwardAuth: { address } } }),
      ),
    );
    expect(found(others)).toEqual([]);
  });

  test("reports kinds that could not be read, and ignores accepted objects", () => {
    const blind = {
      manifests: [],
      absent: new Set<string>(),
      unread: new Map(
        ["IngressRoute", "Middleware", "TraefikService", "NetworkPolicy", "DNSEndpoint"].map((kind) => [
          kind,
          "forbidden",
        ]),
      ),
    };
    expect(found(blind)).toEqual([
      "every IngressRoute: could not be read: forbidden",
      "every Middleware: could not be read: forbidden",
      "every TraefikService: could not be read: forbidden",
      "every NetworkPolicy: could not be read: forbidden",
      "every DNSEndpoint: could not be read: forbidden",
    ]);
    const foreign = withObjects(clean, ingressRoute("old/wiki", "Host(`wiki.localhost`)"));
    expect(audit(foreign, plan, { ...gateway, accepted: ["IngressRoute old/wiki"] })).toEqual([]);
    expect(found(foreign)).toHaveLength(1);
  });

  test("finds any unmanaged route that can match a host of the plan", () => {
    const hosts = plan.exposures.map(({ host }) => host);
    const requests = fc.tuple(fc.constantFrom(...hosts), fc.array(fc.boolean(), { maxLength: 8 }));
    const property = fc.property(matchersOf([...hosts, "foreign.example.com"]), requests, (drawn, [host, others]) => {
      fc.pre(matchesRequest(drawn, host, [...others]));
      const objects = withObjects(clean, ingressRoute("foreign/random", textOf(drawn)));
      expect(found(objects).map((one) => one.split(":")[0])).toEqual(["IngressRoute foreign/random"]);
    });
    fc.assert(property, samples(100));
  });
});
