/** What the gateway matches, in which order, and what stands in front of the backend. */
import type { DataApi, Service, Settings } from "../../config/settings.ts";
import { identityProviderBackend } from "./exposures.ts";
import { outpostRouteName, ownRouteName, routeName } from "./names.ts";
import type { Exposure, Route, RouteRule } from "./types.ts";

/**
 * Explicit, since Traefik would otherwise rank rules by their length. The outpost's path comes first: an application must not be able to
 * take a sign-in's callback.
 */
const PRIORITY = { outpost: 300, publicPath: 200, application: 100 };
/** Where the outpost takes callbacks and sign-outs on a protected host (authentik docs, "Forward auth"). */
const OUTPOST_PATH = "/outpost.goauthentik.io/";
/** The data API is read only; other methods find no route. */
const DATA_METHODS = ["GET", "HEAD", "OPTIONS"];

/**
 * One route per service, in the namespace of its backend; two where it has domains with and without TLS, since a route with TLS takes
 * nothing else (Traefik docs, "Routers", TLS). Plus one per domain for the outpost's path, in the identity provider's namespace: a route to
 * another namespace would need a setting of Traefik that stays off.
 */
export function routes(settings: Settings, exposures: readonly Exposure[]): Route[] {
  const services = new Map(settings.services.map((service) => [service.name, service]));
  const byService = Map.groupBy(exposures, ({ service, tls }) => `${service} ${String(tls)}`);
  const applications = [...byService.values()].flatMap((group) => applicationRoute(settings, services, group));
  return [...applications, ...outpostRoutes(settings, applications, exposures)];
}

function applicationRoute(
  settings: Settings,
  services: ReadonlyMap<string, Service>,
  exposures: readonly Exposure[],
): Route[] {
  const [first] = exposures;
  if (first === undefined) return [];
  const { role, service, tls } = first;
  const name = role === "service" ? routeName(service, tls) : ownRouteName(role, tls);
  const rules = exposures.flatMap((exposure) => [
    ...exposure.publicPaths.map((path) => publicPath(exposure, path)),
    application(exposure, services.get(exposure.service), settings.dataApi),
  ]);
  return [{ name, service, namespace: first.backend.namespace, rules }];
}

function application(exposure: Exposure, service: Service | undefined, dataApi: DataApi | undefined): RouteRule {
  const isData = exposure.role === "data-api" && dataApi !== undefined;
  const match = isData ? `${host(exposure)} && ${readsExposedSchema(dataApi)}` : host(exposure);
  return { ...common(exposure), match, priority: PRIORITY.application, ...authentication(exposure, service) };
}

function authentication(
  exposure: Exposure,
  service: Service | undefined,
): Pick<RouteRule, "authentication" | "openBecause"> {
  if (exposure.role === "test") return { authentication: "none", openBecause: "open" };
  if (exposure.role !== "service") return { authentication: "none", openBecause: exposure.role };
  if (service?.type === "basic") return { authentication: "basic-auth", openBecause: undefined };
  if (service?.type === "oauth2" && service.enforce === "application") {
    return { authentication: "none", openBecause: "application-login" };
  }
  return { authentication: "forward-auth", openBecause: undefined };
}

/** A prefix by whole segments: `/public` is not `/publicity`. */
function publicPath(exposure: Exposure, path: string): RouteRule {
  const paths = path.endsWith("/") ? `PathPrefix(\`${path}\`)` : `(Path(\`${path}\`) || PathPrefix(\`${path}/\`))`;
  const match = `${host(exposure)} && ${paths}`;
  return {
    ...common(exposure),
    match,
    priority: PRIORITY.publicPath,
    authentication: "none",
    openBecause: "public-path",
  };
}

/** The outpost's path on every host with forward auth: one route per domain, so that no domain touches another's. */
function outpostRoutes(settings: Settings, applications: readonly Route[], exposures: readonly Exposure[]): Route[] {
  const proxied = new Set(
    applications.flatMap(({ rules }) =>
      rules.filter((rule) => rule.authentication === "forward-auth").map((rule) => rule.exposure),
    ),
  );
  const backend = identityProviderBackend(settings);
  const byDomain = Map.groupBy(
    exposures.filter(({ id }) => proxied.has(id)),
    ({ domain }) => domain,
  );
  return [...byDomain].map(([domain, hosts]) => ({
    name: outpostRouteName(domain),
    service: settings.identityProvider.host,
    namespace: backend.namespace,
    rules: hosts.map((exposure) => ({
      ...common(exposure),
      match: `${host(exposure)} && PathPrefix(\`${OUTPOST_PATH}\`)`,
      priority: PRIORITY.outpost,
      authentication: "none",
      openBecause: "identity-provider",
      backend,
    })),
  }));
}

/**
 * PostgREST answers 406 to a schema that it does not expose, and names those that it does; spec 001 wants 404, which is what a request
 * without a route gets. No header = the default schema.
 */
function readsExposedSchema({ exposed }: DataApi): string {
  const methods = DATA_METHODS.map((method) => `Method(\`${method}\`)`).join(" || ");
  const schemas = exposed.map((schema) => schema.replaceAll(/\W/g, "\\$&")).join("|");
  const profile = `!HeaderRegexp(\`Accept-Profile\`, \`.*\`) || HeaderRegexp(\`Accept-Profile\`, \`^(${schemas})$\`)`;
  return `(${methods}) && (${profile})`;
}

function host(exposure: Exposure): string {
  return `Host(\`${exposure.host}\`)`;
}

function common({ id, host, tls, backend }: Exposure): Pick<RouteRule, "exposure" | "host" | "tls" | "backend"> {
  return { exposure: id, host, tls, backend };
}
