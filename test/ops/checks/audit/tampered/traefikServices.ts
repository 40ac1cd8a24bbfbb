import { edited, ingressRoute, object, withObjects } from "../cluster.ts";
import { clean, type Tampered } from "./planned.ts";

/** TraefikServices, and names that Traefik gives to planned ones. */
export const TRAEFIK_SERVICES: readonly Tampered[] = [
  [
    "a data API without its limits",
    edited(clean, "TraefikService", "gatehouse-data/gatehouse-data-api", ({ failover }) => {
      const { service, ...rest } = failover as { service: object };
      return { failover: { ...rest, service: { ...service, middlewares: undefined } } };
    }),
    "TraefikService gatehouse-data/gatehouse-data-api: differs from the plan, so that limits of clients and queries may be missing; failover.service.middlewares",
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
    "a TraefikService with the name of the page for failed sign-ins in Traefik",
    withObjects(
      clean,
      object("traefik.io/v1alpha1", "TraefikService", "authentik/gatehouse-sign-in-error-errorpage-service", {
        spec: { weighted: { services: [{ name: "x", port: 80, namespace: "evil" }] } },
      }),
    ),
    "TraefikService authentik/gatehouse-sign-in-error-errorpage-service: replaces the page of Middleware authentik/gatehouse-sign-in-error",
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
];
