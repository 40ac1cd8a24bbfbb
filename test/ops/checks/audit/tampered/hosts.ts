import { annotatedIngress, ingressRoute, object, withObjects, GATEWAY } from "../cluster.ts";
import { clean, type Tampered } from "./planned.ts";

/** Objects that serve the host of a planned route. */
export const HOSTS: readonly Tampered[] = [
  [
    "an unmanaged route for a protected host",
    withObjects(clean, ingressRoute("evil/wiki", "Host(`wiki.mesh.example.org`)", { priority: 9000 })),
    "IngressRoute evil/wiki: Host(`wiki.mesh.example.org`): serves wiki.mesh.example.org, with priority 9000 before every planned route",
  ],
  [
    "a route in the syntax of Traefik 2, in which a negated star matches every host",
    withObjects(clean, ingressRoute("evil/v2", "!Host(`*`)", { priority: 9000, syntax: "V2" })),
    "IngressRoute evil/v2: !Host(`*`): serves authentik.localhost and",
  ],
  [
    "a route whose parent is a planned one",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "IngressRoute", "evil/child", {
        spec: {
          parentRefs: [{ name: "wiki", namespace: "default" }],
          routes: [{ match: "PathPrefix(`/`)", services: [{ name: "x", port: 1 }] }],
        },
      }),
    ),
    "IngressRoute evil/child: is a child of IngressRoute default/wiki, so that Traefik sends its requests to other services than the planned ones, or answers 404",
  ],
  [
    "a route that opens Traefik's API",
    withObjects(
      clean,
      ingressRoute("kube-system/dashboard", "Host(`traefik.example.com`)", {
        services: [{ kind: "TraefikService", name: "api@internal" }],
      }),
    ),
    "IngressRoute kube-system/dashboard: Host(`traefik.example.com`): opens api@internal of Traefik, which shows all routes and the password hashes of basic services",
  ],
  ...[
    {
      how: "a route",
      api: object("traefik.io/v1alpha1", "IngressRoute", "kube-system/dashboard", {
        spec: {
          entryPoints: ["traefik"],
          routes: [{ match: "PathPrefix(`/api`)", services: [{ kind: "TraefikService", name: "api@internal" }] }],
        },
      }),
      port: { port: 9000, targetPort: "traefik" },
    },
    {
      how: "an option",
      api: object(
        "core/v1",
        "Pod",
        "kube-system/traefik-0",
        {
          spec: {
            containers: [
              {
                args: ["--entryPoints.traefik.address=:9100/tcp", "--api.insecure=true"],
                ports: [{ name: "admin", containerPort: 9100 }],
              },
            ],
          },
        },
        GATEWAY.podLabels,
      ),
      port: { port: 9000, targetPort: "admin" },
    },
  ].map(
    ({ how, api, port }) =>
      [
        `a Service for Traefik's internal entry point, on which ${how} opens its API`,
        withObjects(
          clean,
          api,
          object("core/v1", "Service", "kube-system/admin", {
            spec: { type: "NodePort", selector: GATEWAY.podLabels, ports: [port] },
          }),
        ),
        "Service kube-system/admin: exposes Traefik's entry point traefik outside of the cluster (type NodePort), with its API, which shows all routes and the password hashes of basic services",
      ] as const,
  ),
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
    "a route of the Gateway API without hosts",
    withObjects(
      clean,
      object("gateway.networking.k8s.io/v1", "HTTPRoute", "evil/http", {
        spec: { rules: [{ backendRefs: [{ name: "x" }] }] },
      }),
    ),
    "HTTPRoute evil/http: */: serves authentik.localhost and",
  ],
];
