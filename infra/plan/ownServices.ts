/** The Services that the stack deploys and routes to. */

/** HTTP listener of authentik's server and of its outposts (authentik docs, "Ports"). */
export const AUTHENTIK_PORT = 9000;
/** The Deployments of an installed authentik, and the label `app.kubernetes.io/name` of their pods. */
export const AUTHENTIK_APPS = { server: "authentik-server", worker: "authentik-worker" };
/** The Service of an installed authentik. */
export const AUTHENTIK_SERVICE = { name: AUTHENTIK_APPS.server, port: AUTHENTIK_PORT };
/** The Service of PostgREST (infra/data). */
export const DATA_API_SERVICE = { name: "postgrest", port: 3000 };
/** The Service of the catalog (infra/data). */
export const CATALOG_SERVICE = { name: "catalog", port: 8080 };
