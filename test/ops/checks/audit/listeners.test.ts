/** Routes of the Gateway API, by the listeners of their Gateway. */
import { expect, test } from "vitest";
import { audit } from "../../../../ops/checks/audit/audit.ts";
import type { Manifest } from "../../../../manifests/resource.ts";
import { GATEWAY, object, withObjects } from "./cluster.ts";
import { clean, plan } from "./tampered/planned.ts";

const API = "gateway.networking.k8s.io/v1";
const LISTENERS = [
  { name: "shop", port: 8000, protocol: "HTTP", hostname: "shop.example.com" },
  { name: "wide", port: 8000, protocol: "HTTP", hostname: "*.localhost" },
  { name: "all", port: 8000, protocol: "HTTP" },
  { name: "web", port: 8000, protocol: "TCP" },
  { name: "db", port: 5432, protocol: "TCP" },
];

/** A Gateway, its class, and Traefik with these entry points. */
function gatewayOf(controllerName = "traefik.io/gateway-controller"): Manifest[] {
  const args = ["--entryPoints.web.address=:8000/tcp", "--entryPoints.postgres.address=:5432/tcp"];
  return [
    object(API, "GatewayClass", "default/any", { spec: { controllerName } }),
    object(API, "Gateway", "shop/gateway", { spec: { gatewayClassName: "any", listeners: LISTENERS } }),
    object("core/v1", "Pod", "kube-system/traefik-0", { spec: { containers: [{ args }] } }, GATEWAY.podLabels),
  ];
}

function route(kind: string, sectionName: string | undefined, hostnames?: readonly string[], gateway = "gateway") {
  const parentRefs = [{ name: gateway, ...(sectionName !== undefined && { sectionName }) }];
  const rules = [{ backendRefs: [{ name: "shop", port: 80 }] }];
  return object(API, kind, "shop/route", { spec: { parentRefs, rules, ...(hostnames && { hostnames }) } });
}

function messages(...objects: readonly Manifest[]): string[] {
  const all = audit(withObjects(clean, ...objects), plan, { context: "dev", given: "dev", gateway: GATEWAY });
  return all.map(({ message }) => message);
}

test.each([
  ["a listener with another host", "HTTPRoute", "shop", undefined, []],
  ["a listener with another host, for a planned one", "HTTPRoute", "shop", ["wiki.localhost"], []],
  ["a listener that does not exist", "HTTPRoute", "none", undefined, []],
  ["a listener with a wildcard", "HTTPRoute", "wide", ["wiki.localhost"], ["wiki.localhost/: serves wiki.localhost"]],
  ["a listener for every host", "GRPCRoute", "all", undefined, ["*/: serves authentik.localhost"]],
  ["all listeners", "HTTPRoute", undefined, undefined, ["*/: serves authentik.localhost"]],
  ["a listener of a planned entry point", "TCPRoute", "web", undefined, ["*/: serves authentik.localhost"]],
  ["a listener of another entry point", "TCPRoute", "db", undefined, []],
] as const)("reports a route for planned hosts that it serves through %s: %s", (_, kind, section, hosts, expected) => {
  const found = messages(...gatewayOf(), route(kind, section, hosts));
  expect(found).toEqual(expected.map((start) => expect.stringContaining(start) as string));
});

test("reports a host that a route behind another controller's Gateway names, and no pattern", () => {
  const other = gatewayOf("example.com/gateway");
  expect(messages(...other, route("HTTPRoute", "all"))).toEqual([]);
  expect(messages(...other, route("HTTPRoute", "all", ["*.localhost"]))).toEqual([]);
  expect(messages(...other, route("TCPRoute", "web"))).toEqual([]);
  expect(messages(...other, route("HTTPRoute", "all", ["wiki.localhost"]))).toEqual([
    expect.stringContaining("wiki.localhost/: serves wiki.localhost"),
  ]);
});

test("takes a route for one of every host if its Gateway is not known", () => {
  expect(messages(route("HTTPRoute", "shop"))).toEqual([expect.stringContaining("*/: serves authentik.localhost")]);
  expect(messages(route("TCPRoute", "web"))).toEqual([]);
});

test("ignores a Gateway with the name of the parent of an IngressRoute", () => {
  const planted = object("traefik.io/v1alpha1", "IngressRoute", "shop/route", {
    spec: {
      parentRefs: [{ name: "gateway" }],
      routes: [{ match: "Host(`wiki.localhost`)", priority: 9000, services: [{ name: "shop", port: 80 }] }],
    },
  });
  expect(messages(...gatewayOf(), planted)).toEqual([expect.stringContaining("serves wiki.localhost")]);
});
