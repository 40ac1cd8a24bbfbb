import { labelsOf } from "../../../../../infra/pods.ts";
import type { Manifest } from "../../../../../manifests/resource.ts";
import { edited, ingressRoute, object, withObjects } from "../cluster.ts";
import { clean, plan, type Tampered } from "./planned.ts";

const OUTPOST = plan.exposures.find(({ id }) => id === "wiki@localhost")?.outpost ?? "";
const FORWARD_AUTH = `${OUTPOST}-forward-auth`;

type Middlewares = { middlewares: { name: string }[]; priority: number }[];
const routes = (spec: Record<string, unknown>): Middlewares => spec["routes"] as Middlewares;
const headers = (spec: Record<string, unknown>) =>
  (spec["headers"] as { customRequestHeaders: Record<string, string> }).customRequestHeaders;

/** The planned route of the wiki with other metadata. */
function ofClass(metadata: object): Manifest {
  const { spec } = clean.manifests.find(({ label }) => label === "IngressRoute default/wiki") ?? {};
  return object("traefik.io/v1alpha1", "IngressRoute", "default/wiki", {
    metadata: {
      namespace: "default",
      name: "wiki",
      ...metadata,
    },
    spec,
  });
}

/** A NetworkPolicy; without rules it admits any client. */
function policy(place: string, podSelector: object, ingress: readonly object[] = [{}]): Manifest {
  return object("networking.k8s.io/v1", "NetworkPolicy", place, { spec: { podSelector, ingress } });
}

/** Planned objects that were changed or are missing. */
export const CHANGED: readonly Tampered[] = [
  [
    "a route without one of its middlewares",
    edited(clean, "IngressRoute", "default/wiki", (spec) => {
      for (const one of routes(spec)) one.middlewares = one.middlewares.filter(({ name }) => name !== FORWARD_AUTH);
      return spec;
    }),
    `IngressRoute default/wiki: Host(\`wiki.localhost\`) && !Method(\`CONNECT\`) && !HeaderRegexp(\`Upgrade\`, \`(?i)h2|http|tls\`): is open to everyone: default/${FORWARD_AUTH} is missing`,
  ],
  [
    "a route without the strip middleware",
    edited(clean, "IngressRoute", "default/wiki", (spec) => {
      for (const one of routes(spec)) one.middlewares.shift();
      return spec;
    }),
    "does not remove forged identity headers",
  ],
  [
    "a route with another priority",
    edited(clean, "IngressRoute", "default/wiki", (spec) => {
      for (const one of routes(spec)) one.priority += 1;
      return spec;
    }),
    "IngressRoute default/wiki: Host(`wiki.localhost`) && !Method(`CONNECT`) && !HeaderRegexp(`Upgrade`, `(?i)h2|http|tls`): was changed; priority is 101, planned 100",
  ],
  [
    "a missing route",
    edited(clean, "IngressRoute", "default/wiki", () => undefined),
    "IngressRoute default/wiki: is missing",
  ],
  [
    "a strip middleware that removes fewer headers",
    edited(clean, "Middleware", "default/gatehouse-strip", (spec) => {
      delete headers(spec)["X-Idp-Jwt"];
      return spec;
    }),
    "Middleware default/gatehouse-strip: does not remove the planned request headers, such as forged identity headers; headers.customRequestHeaders.X-Idp-Jwt is missing",
  ],
  [
    "a middleware of another namespace with the name of a planned one in Traefik",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "Middleware", "default-gatehouse/strip", { spec: { headers: {} } }),
    ),
    "Middleware default-gatehouse/strip: replaces Middleware default/gatehouse-strip, which has the same name in Traefik",
  ],
  [
    "a route with an annotation of another class",
    withObjects(
      edited(clean, "IngressRoute", "default/wiki", () => undefined),
      ofClass({ annotations: { "kubernetes.io/ingress.class": "nginx" } }),
    ),
    'IngressRoute default/wiki: has another class, so Traefik does not read it; metadata.annotations.kubernetes.io/ingress.class is "nginx", planned missing',
  ],
  [
    "a route of another class",
    edited(clean, "IngressRoute", "default/wiki", (spec) => ({ ...spec, ingressClassName: "nginx" })),
    'IngressRoute default/wiki: was changed; ingressClassName is "nginx", planned missing',
  ],
  [
    "forward auth with another address",
    edited(clean, "Middleware", `default/${FORWARD_AUTH}`, (spec) => {
      (spec["forwardAuth"] as { address: string }).address =
        "http://10.43.0.66:9000/outpost.goauthentik.io/auth/traefik";
      return spec;
    }),
    `Middleware default/${FORWARD_AUTH}: sends authentication requests to another address than the outpost's; forwardAuth.address is`,
  ],
  [
    "forward auth with the address of another outpost",
    edited(clean, "Middleware", `default/${FORWARD_AUTH}`, (spec) => {
      (spec["forwardAuth"] as { address: string }).address =
        `http://10.43.1.${plan.outposts[0]?.name === OUTPOST ? 2 : 1}:9000/outpost.goauthentik.io/auth/traefik`;
      return spec;
    }),
    `Middleware default/${FORWARD_AUTH}: sends authentication requests to another address than the outpost's; forwardAuth.address is`,
  ],
  [
    "an outpost's path with another backend",
    edited(clean, "IngressRoute", "authentik/gatehouse-outpost-localhost", (spec) => {
      for (const one of routes(spec)) (one as unknown as { services: { name: string }[] }).services[0]!.name = "evil";
      return spec;
    }),
    'was changed; services[0].name is "evil", planned',
  ],
  [
    "an outpost on an unplanned host",
    withObjects(
      clean,
      ingressRoute("evil/outpost", "Host(`open.example.com`)", {
        services: [{ name: OUTPOST, namespace: "authentik", port: 9000 }],
      }),
    ),
    `IngressRoute evil/outpost: Host(\`open.example.com\`): routes to authentik/${OUTPOST}`,
  ],
  [
    "a missing NetworkPolicy",
    edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", () => undefined),
    "Service gatehouse-data/postgrest: no NetworkPolicy selects its pods",
  ],
  [
    "a NetworkPolicy that admits any client",
    withObjects(
      clean,
      object("networking.k8s.io/v1", "NetworkPolicy", "gatehouse-data/wide", {
        spec: { podSelector: {}, ingress: [{}] },
      }),
    ),
    "NetworkPolicy gatehouse-data/wide: lets any client connect to ports 3000, 3001 of gatehouse-data/postgrest",
  ],
  ...[
    { key: "app.kubernetes.io/name", operator: "In", values: ["other"] },
    { key: "app.kubernetes.io/name", operator: "NotIn", values: ["postgrest", "other"] },
    { key: "app.kubernetes.io/name", operator: "DoesNotExist" },
    { key: "constructor", operator: "Exists" },
  ].map(
    (expression) =>
      [
        `a missing NetworkPolicy next to one for other pods by ${JSON.stringify(expression)}`,
        withObjects(
          edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", () => undefined),
          policy("gatehouse-data/others", { matchExpressions: [expression] }, [{ ports: [{ port: 1 }] }]),
        ),
        "Service gatehouse-data/postgrest: no NetworkPolicy selects its pods",
      ] as const,
  ),
  ...[
    { key: "app.kubernetes.io/name", operator: "In", values: ["other", "postgrest"] },
    { key: "tier", operator: "NotIn", values: ["database"] },
    { key: "app.kubernetes.io/part-of", operator: "Exists" },
    { key: "constructor", operator: "DoesNotExist" },
  ].map(
    (expression) =>
      [
        `a NetworkPolicy that admits any client to pods by ${JSON.stringify(expression)}`,
        withObjects(clean, policy("gatehouse-data/wide", { matchExpressions: [expression] })),
        "NetworkPolicy gatehouse-data/wide: lets any client connect to ports 3000, 3001 of gatehouse-data/postgrest",
      ] as const,
  ),
  [
    "a NetworkPolicy that admits any client to pods by a label that only running ones have",
    withObjects(
      clean,
      object("core/v1", "Pod", "gatehouse-data/running", {}, { ...labelsOf("postgrest"), "pod-template-hash": "1" }),
      policy("gatehouse-data/wide", { matchExpressions: [{ key: "pod-template-hash", operator: "Exists" }] }),
    ),
    "NetworkPolicy gatehouse-data/wide: lets any client connect to ports 3000, 3001 of gatehouse-data/postgrest",
  ],
  [
    "a running pod that no NetworkPolicy selects",
    withObjects(
      edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", (spec) => ({
        ...spec,
        podSelector: { matchExpressions: [{ key: "pod-template-hash", operator: "DoesNotExist" }] },
      })),
      object("core/v1", "Pod", "gatehouse-data/running", {}, { ...labelsOf("postgrest"), "pod-template-hash": "1" }),
    ),
    "Service gatehouse-data/postgrest: no NetworkPolicy selects its pods",
  ],
  [
    "a NetworkPolicy that admits any client to the admin port of PostgREST",
    withObjects(clean, policy("gatehouse-data/wide", {}, [{ ports: [{ port: 3001 }] }])),
    "NetworkPolicy gatehouse-data/wide: lets any client connect to port 3001 of gatehouse-data/postgrest",
  ],
  ...[9300, 9443].map(
    (port) =>
      [
        `a NetworkPolicy that admits any client to port ${port} of the outposts`,
        withObjects(clean, policy("authentik/wide", {}, [{ ports: [{ port }] }])),
        `NetworkPolicy authentik/wide: lets any client connect to port ${port} of authentik/${OUTPOST}`,
      ] as const,
  ),
  [
    "a NetworkPolicy that admits another namespace",
    edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", (spec) => ({
      ...spec,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "evil" } } }] }],
    })),
    "NetworkPolicy gatehouse-data/postgrest: lets the namespace evil connect to ports 3000, 3001",
  ],
  [
    "a NetworkPolicy that admits other pods of the gateway's namespace",
    edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", (spec) => ({
      ...spec,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }] }],
    })),
    "NetworkPolicy gatehouse-data/postgrest: lets other pods of the namespace kube-system connect to ports 3000, 3001",
  ],
  [
    "a Service that selects other pods",
    edited(clean, "Service", "gatehouse-data/postgrest", (spec) => ({ ...spec, selector: { app: "evil" } })),
    "Service gatehouse-data/postgrest: selects other pods than planned; selector.",
  ],
  [
    "an unmanaged record",
    withObjects(
      clean,
      object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "evil/dns", {
        spec: { endpoints: [{ dnsName: "WIKI.mesh.example.org.", recordType: "A", targets: ["192.0.2.1"] }] },
      }),
    ),
    "DNSEndpoint evil/dns: sends wiki.mesh.example.org to 192.0.2.1",
  ],
  [
    "a record with other targets",
    edited(clean, "DNSEndpoint", "default/gatehouse-dev-mesh", (spec) => {
      const [first] = spec["endpoints"] as { targets: string[] }[];
      if (first) first.targets = ["192.0.2.1"];
      return spec;
    }),
    'DNSEndpoint default/gatehouse-dev-mesh: was changed; endpoints[0].targets[0] is "192.0.2.1", planned "100.64.0.1"',
  ],
];
