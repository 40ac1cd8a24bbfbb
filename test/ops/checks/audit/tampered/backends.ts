import { labelsOf } from "../../../../../infra/pods.ts";
import { annotatedIngress, ingressRoute, object, withObjects } from "../cluster.ts";
import { clean, POSTGREST, type Tampered } from "./planned.ts";

/** Ways to a planned backend. */
export const BACKENDS: readonly Tampered[] = [
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
    "a planned TraefikService as the error page of another host",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "Middleware", "evil/pages", {
        spec: {
          errors: {
            status: ["400-599"],
            service: { kind: "TraefikService", name: "gatehouse-data-gatehouse-data-api@kubernetescrd" },
          },
        },
      }),
    ),
    "Middleware evil/pages: answers errors with pages of gatehouse-data/postgrest without the planned protection",
  ],
  ...[
    "http://whoami.default.svc:8080/admin",
    "HTTPS://user@WHOAMI.default.:8080?x",
    "http://10.42.0.7:8080",
    "http://[fd00::7]:8080/",
    "http://[fd01::9]:8080/",
    "http://whoami-gateway:8080",
  ].map(
    (address) =>
      [
        `a planned backend as the authentication server ${address}`,
        withObjects(
          clean,
          object("core/v1", "Service", "kube-system/whoami-gateway", {
            spec: { selector: labelsOf("traefik"), type: "ExternalName", externalName: "whoami.default.svc" },
          }),
          object("core/v1", "Service", "default/dual", {
            spec: { selector: labelsOf("whoami"), clusterIP: "10.43.0.77", clusterIPs: ["10.43.0.77", "fd01::9"] },
          }),
          object(
            "core/v1",
            "Pod",
            "default/ready",
            { status: { podIP: "10.42.0.7", podIPs: [{ ip: "10.42.0.7" }, { ip: "fd00::7" }] } },
            labelsOf("whoami"),
          ),
          object("traefik.io/v1alpha1", "Middleware", "evil/auth", {
            spec: { forwardAuth: { address, preserveRequestMethod: true, authResponseHeadersRegex: "^X-" } },
          }),
        ),
        "Middleware evil/auth: sends requests to default/whoami for authentication, without the planned protection",
      ] as const,
  ),
  [
    "an outpost as the authentication server of another host",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "Middleware", "evil/auth", {
        spec: { forwardAuth: { address: "http://10.43.1.1:9000/outpost.goauthentik.io/auth/traefik" } },
      }),
    ),
    "Middleware evil/auth: sends requests to authentik/gatehouse-outpost-",
  ],
  [
    "an Ingress with a planned backend as authentication server",
    withObjects(
      clean,
      annotatedIngress({ "nginx.ingress.kubernetes.io/auth-url": "http://whoami.default.svc.cluster.local:8080/$1" }),
    ),
    "Ingress default/annotated: sends requests to default/whoami for authentication, without the planned protection",
  ],
  ...[
    { mirroring: { name: "somewhere", port: 80, mirrors: [{ name: "alias", port: 3000, percent: 100 }] } },
    { mirroring: { name: "alias", port: 3000, mirrors: [] } },
    { highestRandomWeight: { services: [{ name: "alias", port: 3000 }] } },
    { failover: { service: { name: "alias", port: 3000 }, fallback: { name: "somewhere", port: 80 } } },
    { failover: { service: { name: "somewhere", port: 80 }, fallback: { name: "alias", port: 3000 } } },
  ].map(
    (spec) =>
      [
        `a planned backend through ${JSON.stringify(spec)}`,
        withObjects(
          clean,
          object("core/v1", "Service", "evil/alias", {
            spec: { type: "ExternalName", externalName: "postgrest.gatehouse-data.svc" },
          }),
          object("traefik.io/v1alpha1", "TraefikService", "evil/other", { spec }),
        ),
        "TraefikService evil/other: replaces how Traefik connects to gatehouse-data/postgrest",
      ] as const,
  ),
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
    "a Service with an address in the tailnet",
    withObjects(
      clean,
      object("core/v1", "Service", "gatehouse-data/outside", {
        metadata: { namespace: "gatehouse-data", name: "outside", annotations: { "tailscale.com/expose": "true" } },
        spec: { selector: { "app.kubernetes.io/name": "postgrest" } },
      }),
    ),
    "Service gatehouse-data/outside: exposes the pods of gatehouse-data/postgrest outside of the cluster (annotation tailscale.com/expose)",
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
];
