/** A cluster that is as planned, and changed ones, each with a part of the finding. */
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { labelsOf } from "../../../../infra/pods.ts";
import { shell, stack } from "../../../config/stacks.ts";
import type { Manifest } from "../../../../policy/resource.ts";
import { clusterOf, edited, ingressRoute, object, withObjects } from "./cluster.ts";

export const plan = computePlan(
  parseStack(
    stack({
      domains: { localhost: {}, mesh: { enabled: true, base_domain: "mesh.example.org", targets: ["100.64.0.1"] } },
      test_environments: { install: true },
    }),
    shell,
  ),
);
export const clean = clusterOf(plan);
const OUTPOST = plan.exposures.find(({ id }) => id === "wiki@localhost")?.outpost ?? "";
const FORWARD_AUTH = `${OUTPOST}-forward-auth`;
const POSTGREST = { services: [{ name: "postgrest", namespace: "gatehouse-data", port: 3000 }] };

type Middlewares = { middlewares: { name: string }[]; priority: number }[];
const routes = (spec: Record<string, unknown>): Middlewares => spec["routes"] as Middlewares;
const headers = (spec: Record<string, unknown>) =>
  (spec["headers"] as { customRequestHeaders: Record<string, string> }).customRequestHeaders;

/** The planned route of the wiki with other metadata. */
function ofClass(metadata: object): Manifest {
  const { spec } = clean.manifests.find(({ label }) => label === "IngressRoute default/wiki") ?? {};
  return object("traefik.io/v1alpha1", "IngressRoute", "default/wiki", {
    ...{ metadata: { namespace: "default", name: "wiki", ...metadata }, spec },
  });
}

function annotatedIngress(annotations: object, host = "open.example.com"): Manifest {
  const paths = [{ path: "/", backend: { service: { name: "x", port: { number: 80 } } } }];
  const metadata = { namespace: "default", name: "annotated", annotations };
  return object("networking.k8s.io/v1", "Ingress", "default/annotated", {
    ...{ metadata, spec: { rules: [{ host, http: { paths } }] } },
  });
}

export const TAMPERED: readonly (readonly [title: string, objects: ClusterObjects, problem: string])[] = [
  [
    "an unmanaged route for a protected host",
    withObjects(clean, ingressRoute("evil/wiki", "Host(`wiki.mesh.example.org`)", { priority: 9000 })),
    "IngressRoute evil/wiki: Host(`wiki.mesh.example.org`): serves wiki.mesh.example.org, with priority 9000 before every planned route",
  ],
  [
    "a TCP route for every name",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "IngressRouteTCP", "evil/all", {
        spec: { entryPoints: ["websecure"], routes: [{ match: "HostSNI(`*`)", services: [{ name: "x", port: 1 }] }] },
      }),
    ),
    "IngressRouteTCP evil/all: HostSNI(`*`): serves authentik.localhost and",
  ],
  [
    "a TCP route without TLS that takes every HTTP connection",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "IngressRouteTCP", "evil/plain", {
        spec: {
          entryPoints: ["web"],
          routes: [{ match: "HostSNIRegexp(`^$`)", services: [{ name: "x", port: 1 }] }],
        },
      }),
    ),
    "IngressRouteTCP evil/plain: HostSNIRegexp(`^$`): serves authentik.localhost and",
  ],
  [
    "an Ingress with a wildcard",
    withObjects(
      clean,
      object("networking.k8s.io/v1", "Ingress", "evil/star", {
        spec: {
          rules: [
            { host: "*.mesh.example.org", http: { paths: [{ path: "/", backend: { service: { name: "x" } } }] } },
          ],
        },
      }),
    ),
    "Ingress evil/star: *.mesh.example.org/: serves authentik.mesh.example.org and",
  ],
  [
    "an Ingress with an alias for its host",
    withObjects(
      clean,
      annotatedIngress({ "nginx.ingress.kubernetes.io/server-alias": "a.example.com, WIKI.localhost" }),
    ),
    "Ingress default/annotated: open.example.com/: serves wiki.localhost,",
  ],
  [
    "an Ingress that redirects its host without www",
    withObjects(
      clean,
      annotatedIngress({ "nginx.ingress.kubernetes.io/from-to-www-redirect": "True" }, "www.wiki.localhost"),
    ),
    "Ingress default/annotated: www.wiki.localhost/: serves wiki.localhost,",
  ],
  [
    "an Ingress whose matcher of paths contains a rule",
    withObjects(
      clean,
      annotatedIngress({ "traefik.ingress.kubernetes.io/Router.pathMatcher": "Host(`wiki.localhost`) || Path" }),
    ),
    "Ingress default/annotated: open.example.com/: serves authentik.localhost and",
  ],
  [
    "an Ingress with a planned backend for errors",
    withObjects(
      clean,
      annotatedIngress({
        "nginx.ingress.kubernetes.io/custom-http-errors": "404",
        "nginx.ingress.kubernetes.io/default-backend": "whoami",
      }),
    ),
    "Ingress default/annotated: open.example.com/: routes to default/whoami without the planned protection",
  ],
  [
    "a route of the Gateway API without hosts",
    withObjects(
      clean,
      object("gateway.networking.k8s.io/v1", "HTTPRoute", "evil/http", {
        spec: { rules: [{ backendRefs: [{ name: "x" }] }] },
      }),
    ),
    "HTTPRoute evil/http: */: serves authentik.localhost and",
  ],
  [
    "a data API without its limits",
    edited(clean, "TraefikService", "gatehouse-data/gatehouse-data-api", ({ weighted }) => {
      const [only] = (weighted as { services: { middlewares: unknown }[] }).services;
      return { weighted: { services: [{ ...only, middlewares: undefined }] } };
    }),
    "TraefikService gatehouse-data/gatehouse-data-api: differs from the plan, so that limits of clients may be missing; weighted.services",
  ],
  [
    "a data API without its TraefikService",
    edited(clean, "TraefikService", "gatehouse-data/gatehouse-data-api", () => undefined),
    "TraefikService gatehouse-data/gatehouse-data-api: is missing, so Traefik serves none of its hosts",
  ],
  [
    "a planned TraefikService on an unplanned host",
    withObjects(
      clean,
      ingressRoute("gatehouse-data/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "gatehouse-data-api" }],
      }),
    ),
    "IngressRoute gatehouse-data/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a planned TraefikService by its name in Traefik",
    withObjects(
      clean,
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "gatehouse-data-api@kubernetescrd", namespace: "gatehouse-data" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a planned TraefikService by a name that another namespace completes",
    withObjects(
      clean,
      ingressRoute("gatehouse/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "data-gatehouse-data-api" }],
      }),
    ),
    "IngressRoute gatehouse/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a planned backend and its port as the name of a TraefikService",
    withObjects(
      clean,
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "postgrest-3000@kubernetescrd", namespace: "gatehouse-data" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "the backend of a planned rule by its name in Traefik",
    withObjects(
      clean,
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "wiki-0123456789abcdef0123@kubernetescrd", namespace: "default" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to default/",
  ],
  [
    "a planned backend by its whole name in Traefik",
    withObjects(
      clean,
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "gatehouse-data-postgrest-3000@kubernetescrd" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "two Services that have the name of a planned backend in Traefik",
    withObjects(
      clean,
      object("core/v1", "Service", "gatehouse/data-postgrest", { spec: { selector: { app: "x" } } }),
      ingressRoute("gatehouse/open", "Host(`open.example.com`)", {
        services: [
          { name: "data-postgrest", port: 3000 },
          { name: "data-postgrest", port: 3000 },
        ],
      }),
    ),
    "IngressRoute gatehouse/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a TraefikService with a port, which Traefik ignores, for a planned one",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "TraefikService", "evil/weights", {
        spec: {
          weighted: {
            services: [{ kind: "TraefikService", name: "gatehouse-data-api", namespace: "gatehouse-data", port: 1 }],
          },
        },
      }),
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "weights" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "another TraefikService for a planned backend, which no route uses",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "TraefikService", "gatehouse-data/canary", {
        spec: { weighted: { services: [{ name: "postgrest", port: 3000 }] } },
      }),
    ),
    "TraefikService gatehouse-data/canary: replaces how Traefik connects to gatehouse-data/postgrest",
  ],
  [
    "a TraefikService whose Service and port have the name of a planned one in Traefik",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "TraefikService", "gatehouse/canary", {
        spec: { weighted: { services: [{ name: "data-postgrest", port: 3000 }] } },
      }),
    ),
    "TraefikService gatehouse/canary: replaces how Traefik connects to gatehouse-data/postgrest",
  ],
  [
    "a planned backend through its cluster IP",
    withObjects(
      clean,
      object("core/v1", "Service", "evil/alias", { spec: { type: "ExternalName", externalName: "10.43.0.9" } }),
      ingressRoute("evil/open", "Host(`open.example.com`)", { services: [{ name: "alias", port: 3000 }] }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to ",
  ],
  [
    "a planned backend through the name of one of its pods",
    withObjects(
      clean,
      object("core/v1", "Service", "evil/alias", {
        spec: { type: "ExternalName", externalName: "postgrest-0.postgrest.gatehouse-data.svc.cluster.local" },
      }),
      ingressRoute("evil/open", "Host(`open.example.com`)", { services: [{ name: "alias", port: 3000 }] }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest",
  ],
  ...[
    "postgrest-0.postgrest.gatehouse-data",
    "POSTGREST.gatehouse-data.",
    "second.evil.svc.cluster.local",
    "10.42.0.7",
    "10-42-0-7.any.pod.cluster.local",
    "10-42-0-7.any.pod",
  ].map(
    (externalName) =>
      [
        `a planned backend through ${externalName}`,
        withObjects(
          clean,
          object("core/v1", "Service", "evil/alias", { spec: { type: "ExternalName", externalName } }),
          object("core/v1", "Service", "evil/second", {
            spec: { type: "ExternalName", externalName: "postgrest.gatehouse-data.svc" },
          }),
          object("core/v1", "Service", "evil/loop", {
            spec: { type: "ExternalName", externalName: "loop.evil.svc" },
          }),
          object("core/v1", "Pod", "gatehouse-data/ready", { status: { podIP: "10.42.0.7" } }, labelsOf("postgrest")),
          ingressRoute("evil/loop", "Host(`loop.example.com`)", { services: [{ name: "loop", port: 3000 }] }),
          ingressRoute("evil/open", "Host(`open.example.com`)", { services: [{ name: "alias", port: 3000 }] }),
        ),
        "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest",
      ] as const,
  ),
  [
    "a planned backend as the error page of another host",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "Middleware", "default/pages", {
        spec: { errors: { status: ["400-599"], service: { name: "whoami", port: 8080 }, query: "/admin" } },
      }),
    ),
    "Middleware default/pages: answers errors with pages of default/whoami without the planned protection",
  ],
  [
    "a planned backend behind a TCPRoute of the Gateway API",
    withObjects(
      clean,
      object("gateway.networking.k8s.io/v1alpha2", "TCPRoute", "gatehouse-data/tcp", {
        spec: { rules: [{ backendRefs: [{ name: "postgrest", port: 3000 }] }] },
      }),
    ),
    "TCPRoute gatehouse-data/tcp: */: routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a planned backend on an unplanned host",
    withObjects(clean, ingressRoute("evil/data", "Host(`open.example.com`)", POSTGREST)),
    "IngressRoute evil/data: Host(`open.example.com`): routes to gatehouse-data/postgrest without the planned protection",
  ],
  [
    "a planned backend through another Service that selects its pods",
    withObjects(
      clean,
      object("core/v1", "Service", "gatehouse-data/alias", {
        spec: { selector: { "app.kubernetes.io/name": "postgrest" } },
      }),
      ingressRoute("gatehouse-data/open", "Host(`open.example.com`)", { services: [{ name: "alias", port: 3000 }] }),
    ),
    "IngressRoute gatehouse-data/open: Host(`open.example.com`): routes to gatehouse-data/postgrest",
  ],
  [
    "a planned backend through an ExternalName and a TraefikService",
    withObjects(
      clean,
      object("core/v1", "Service", "evil/alias", {
        spec: { type: "ExternalName", externalName: "postgrest.gatehouse-data.svc.cluster.local" },
      }),
      object("traefik.io/v1alpha1", "TraefikService", "evil/weights", {
        spec: { weighted: { services: [{ name: "alias", port: 3000, weight: 1 }] } },
      }),
      ingressRoute("evil/open", "Host(`open.example.com`)", {
        services: [{ kind: "TraefikService", name: "weights" }],
      }),
    ),
    "IngressRoute evil/open: Host(`open.example.com`): routes to gatehouse-data/postgrest",
  ],
  [
    "a Service of type NodePort",
    withObjects(
      clean,
      object("core/v1", "Service", "gatehouse-data/outside", {
        spec: { type: "NodePort", selector: { "app.kubernetes.io/name": "postgrest" } },
      }),
    ),
    "Service gatehouse-data/outside: exposes the pods of gatehouse-data/postgrest outside of the cluster (type NodePort)",
  ],
  [
    "a route without one of its middlewares",
    edited(clean, "IngressRoute", "default/wiki", (spec) => {
      for (const one of routes(spec)) one.middlewares = one.middlewares.filter(({ name }) => name !== FORWARD_AUTH);
      return spec;
    }),
    `IngressRoute default/wiki: Host(\`wiki.localhost\`): is open to everyone: default/${FORWARD_AUTH} is missing`,
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
    "IngressRoute default/wiki: Host(`wiki.localhost`): was changed; priority is 101, planned 100",
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
    "NetworkPolicy gatehouse-data/wide: lets any client connect to port 3000 of gatehouse-data/postgrest",
  ],
  [
    "a NetworkPolicy that admits another namespace",
    edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", (spec) => ({
      ...spec,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "evil" } } }] }],
    })),
    "NetworkPolicy gatehouse-data/postgrest: lets the namespace evil connect to port 3000",
  ],
  [
    "a NetworkPolicy that admits other pods of the gateway's namespace",
    edited(clean, "NetworkPolicy", "gatehouse-data/postgrest", (spec) => ({
      ...spec,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }] }],
    })),
    "NetworkPolicy gatehouse-data/postgrest: lets other pods of the namespace kube-system connect to port 3000",
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
