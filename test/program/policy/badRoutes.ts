/** Programs whose routes and middlewares break a rule. */
import { added, type Bad, edit, type Program } from "./program.ts";

/** What the tests reach into; the real shapes are Kubernetes'. */
interface Props {
  spec: {
    entryPoints: string[];
    tls?: object;
    routes: { match: string; priority: number; middlewares: { name: string }[]; services: { port: number }[] }[];
    headers: { customRequestHeaders: Record<string, string> };
    forwardAuth: { address: string; authResponseHeaders: string[] };
  };
}

const ROUTE = "kubernetes:traefik.io/v1alpha1:IngressRoute";

const route = (match: string, middlewares: readonly string[]) => (good: Program) =>
  added(good, ROUTE, {
    metadata: { name: "added", namespace: "default" },
    spec: {
      entryPoints: ["web"],
      routes: [
        { kind: "Rule", match, middlewares: middlewares.map((name) => ({ name })), services: [{ name: "x", port: 1 }] },
      ],
    },
  });
const chain = (change: (names: { name: string }[]) => { name: string }[]) =>
  edit<Props>("IngressRoute default/whoami", ({ spec }) => {
    spec.routes = spec.routes.map((one) => ({ ...one, middlewares: change(one.middlewares) }));
  });
/** The first rule of the route of whoami with a change. */
const oneRule = (change: (rule: Props["spec"]["routes"][number]) => void) =>
  edit<Props>("IngressRoute default/whoami", ({ spec }) => {
    const [first] = spec.routes;
    if (first === undefined) throw new Error("the route has no rule");
    change(first);
  });

const FORWARD_AUTH = "gatehouse-outpost-all-users-55ace0b2-forward-auth";
const FOR_ADMINS = "gatehouse-outpost-admins-ebf9904d-forward-auth";
const WHOAMI = "routes-are-protected: IngressRoute default/whoami";
const ADDED = "IngressRoute default/added";
/** The value can be a secret, which no finding contains (refused.test.ts). */
const SECRET = "Header(`X-CDN`, `canary-cdn`)";

export const BAD_ROUTES: readonly Bad[] = [
  [
    "the open route of the data API with another backend",
    edit<Props>("IngressRoute gatehouse-data/gatehouse-data-api", ({ spec }) => {
      spec.routes = spec.routes.map((one) => ({ ...one, services: [{ name: "private", port: 80 }] }));
    }),
    Array.from({ length: 13 }, () => "routes-are-protected: IngressRoute gatehouse-data/gatehouse-data-api"),
  ],
  // A planned route has no other content than the plan.
  [
    "another port",
    oneRule((rule) => void (rule.services = rule.services.map((one) => ({ ...one, port: 81 })))),
    [WHOAMI],
  ],
  [
    "another entry point",
    edit<Props>("IngressRoute default/whoami", ({ spec }) => void (spec.entryPoints = ["traefik"])),
    [WHOAMI],
  ],
  [
    "TLS options that the plan does not have",
    edit<Props>("IngressRoute default/whoami", ({ spec }) => void (spec.tls = { options: { name: "other" } })),
    [WHOAMI],
  ],
  [
    "a middleware before the strip",
    oneRule((rule) => void rule.middlewares.unshift({ name: "other" })),
    [WHOAMI, WHOAMI, WHOAMI],
  ],
  [
    "a middleware behind the authentication",
    oneRule((rule) => void rule.middlewares.push({ name: "other" })),
    [WHOAMI],
  ],
  [
    "a route without one of its rules",
    edit<Props>("IngressRoute default/whoami", ({ spec }) => void spec.routes.pop()),
    [WHOAMI],
  ],
  [
    "a rule that the plan does not have, in a planned route",
    edit<Props>("IngressRoute default/whoami", ({ spec }) => {
      const [first] = spec.routes;
      if (first) spec.routes.push({ ...first, match: `${first.match} && ${SECRET}` });
    }),
    [WHOAMI, "one-route-per-host: IngressRoute default/whoami"],
  ],
  [
    "an open rule for a header, on a planned and on another host",
    route(`(Host(\`whoami.localhost\`) || Host(\`other.localhost\`)) && ${SECRET}`, []),
    [
      `hosts-are-planned: ${ADDED}`,
      `one-route-per-host: ${ADDED}`,
      `routes-are-protected: ${ADDED}`,
      `routes-are-protected: ${ADDED}`,
    ],
  ],
  // Every route carries its strip, and its authentication behind it.
  [
    "a route without its strip",
    chain((names) => names.filter(({ name }) => name !== "gatehouse-strip")),
    [WHOAMI, WHOAMI],
  ],
  ["a strip behind the authentication", chain((names) => names.toReversed()), [WHOAMI, WHOAMI]],
  [
    "a protected host without authentication",
    chain((names) => names.filter(({ name }) => !name.includes("forward-auth"))),
    [WHOAMI, WHOAMI],
  ],
  [
    "the authentication of another service",
    chain((names) => names.map((one) => (one.name === FORWARD_AUTH ? { name: "legacy-basic-auth" } : one))),
    [WHOAMI],
  ],
  [
    "the outpost of other groups on a route",
    edit<Props>("IngressRoute default/admin", ({ spec }) => {
      const names = spec.routes.flatMap(({ middlewares }) => middlewares);
      for (const one of names) if (one.name === FOR_ADMINS) one.name = FORWARD_AUTH;
    }),
    ["routes-are-protected: IngressRoute default/admin"],
  ],
  [
    "the outpost of other groups on an added route",
    route("Host(`admin.localhost`) && PathPrefix(`/open`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`one-route-per-host: ${ADDED}`, `routes-are-protected: ${ADDED}`],
  ],
  [
    "a child of a planned route",
    (good) =>
      added(good, "kubernetes:traefik.io/v1alpha1:IngressRoute", {
        metadata: { name: "added", namespace: "default" },
        spec: { parentRefs: [{ name: "whoami" }], routes: [] },
      }),
    [`one-route-per-host: ${ADDED}`],
  ],
  [
    "an Ingress, which carries nothing",
    (good) =>
      added(good, "kubernetes:networking.k8s.io/v1:Ingress", {
        metadata: { name: "added", namespace: "default" },
        spec: {
          rules: [{ host: "whoami.localhost", http: { paths: [{ path: "/", backend: { service: { name: "x" } } }] } }],
        },
      }),
    [
      "routes-are-protected: Ingress default/added",
      "routes-are-protected: Ingress default/added",
      "one-route-per-host: Ingress default/added",
    ],
  ],
  // Middlewares do what their names state.
  [
    "a strip that leaves one spelling",
    edit<Props>("Middleware default/gatehouse-strip", ({ spec }) => {
      delete spec.headers.customRequestHeaders["X_idp_username"];
    }),
    ["middlewares-as-planned: Middleware default/gatehouse-strip"],
  ],
  [
    "forward auth that asks another path",
    edit<Props>(`Middleware default/${FORWARD_AUTH}`, ({ spec }) => {
      spec.forwardAuth.address = "http://evil.example.org/yes";
    }),
    [`middlewares-as-planned: Middleware default/${FORWARD_AUTH}`],
  ],
  [
    "a middleware with the name of a planned one in Traefik",
    (good) =>
      added(good, "kubernetes:traefik.io/v1alpha1:Middleware", {
        metadata: { name: "strip", namespace: "default-gatehouse" },
        spec: { headers: {} },
      }),
    ["middlewares-as-planned: Middleware default-gatehouse/strip"],
  ],
  ...[
    {
      title: "another TraefikService for a planned backend",
      place: { namespace: "gatehouse-data", name: "canary" },
      service: { name: "postgrest", port: 3000 },
    },
    {
      title: "a TraefikService for a planned one",
      place: { namespace: "apps", name: "canary" },
      service: { kind: "TraefikService", name: "gatehouse-data-gatehouse-data-api@kubernetescrd" },
    },
    {
      title: "a TraefikService whose Service and port have the name of a planned one in Traefik",
      place: { namespace: "gatehouse", name: "canary" },
      service: { name: "data-postgrest", port: 3000 },
    },
    {
      title: "a TraefikService with the name of a planned one in Traefik",
      place: { namespace: "gatehouse", name: "data-gatehouse-data-api" },
      service: { name: "x", port: 80 },
    },
    {
      title: "a TraefikService with the name of the page for failed sign-ins in Traefik",
      place: { namespace: "authentik", name: "gatehouse-sign-in-error-errorpage-service" },
      service: { name: "x", port: 80 },
    },
  ].map(({ title, place, service }): Bad => [
    title,
    (good) =>
      added(good, "kubernetes:traefik.io/v1alpha1:TraefikService", {
        metadata: place,
        spec: { weighted: { services: [service] } },
      }),
    [`middlewares-as-planned: TraefikService ${place.namespace}/${place.name}`],
  ]),
  // No host outside of the plan.
  [
    "a host without a plan",
    route("Host(`other.localhost`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`],
  ],
  [
    "a host among others",
    route("Host(`other.localhost`) || Host(`whoami.localhost`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`, `one-route-per-host: ${ADDED}`],
  ],
  [
    "a pattern for hosts",
    route("HostRegexp(`^[a-z]+[.]example[.]org$`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`],
  ],
  [
    "a path on every host",
    route("PathPrefix(`/metrics`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`, `one-route-per-host: ${ADDED}`, `routes-are-protected: ${ADDED}`],
  ],
  // No host on two routes.
  [
    "a second route for a planned host",
    route("Host(`whoami.localhost`) && PathPrefix(`/open`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`one-route-per-host: ${ADDED}`],
  ],
  [
    "the same match twice",
    route("Host(`whoami.localhost`) && !Method(`CONNECT`) && !HeaderRegexp(`Upgrade`, `(?i)h2|http|tls`)", [
      "gatehouse-strip",
      FORWARD_AUTH,
    ]),
    [`one-route-per-host: ${ADDED}`, `one-object-per-match: ${ADDED}`],
  ],
  // Objects that the other rules cannot read.
  [
    "a route in a resource of another kind",
    (good) =>
      added(good, "kubernetes:core/v1:ConfigMap", {
        apiVersion: "traefik.io/v1alpha1",
        kind: "IngressRoute",
        metadata: { name: "added", namespace: "default" },
      }),
    ["objects-are-visible: ConfigMap default/added", "objects-are-visible: ConfigMap default/added"],
  ],
  [
    "a release of Helm",
    (good) => added(good, "kubernetes:helm.sh/v3:Release", { chart: "any" }),
    ["objects-are-visible: Release default/added"],
  ],
  ...["HelmChart", "HelmChartConfig"].map((kind): Bad => [
    `a ${kind} of k3s`,
    (good) =>
      added(good, `kubernetes:helm.cattle.io/v1:${kind}`, {
        apiVersion: "helm.cattle.io/v1",
        kind,
        metadata: { name: "traefik", namespace: "kube-system" },
      }),
    [`objects-are-visible: ${kind} kube-system/traefik`],
  ]),
  ...["TLSOption", "TLSStore"].map((kind): Bad => [
    `a ${kind} of all hosts`,
    (good) =>
      added(good, `kubernetes:traefik.io/v1alpha1:${kind}`, { metadata: { name: "default", namespace: "apps" } }),
    [`default-tls-unchanged: ${kind} apps/default`],
  ]),
  ...[
    "http://yes.default.svc:9000/outpost.goauthentik.io/auth/traefik",
    "http://10.43.0.7/outpost.goauthentik.io/auth/traefik",
    "https://10.43.0.7:9000/outpost.goauthentik.io/auth/traefik",
  ].map((address): Bad => [
    `forward auth at another server: ${address}`,
    edit<Props>(`Middleware default/${FORWARD_AUTH}`, ({ spec }) => void (spec.forwardAuth.address = address)),
    [`middlewares-as-planned: Middleware default/${FORWARD_AUTH}`],
  ]),
];
