/** Routes of the gateway: rules, priorities and middlewares. */
import type { DataApi, Settings } from "../../config/settings.ts";
import { OUTPOST_PATH } from "../../protections/forwardAuth.ts";
import { protectionOf, type Service } from "../../protections/table.ts";
import { dataRules, type LimitedBackend, limitedBackend } from "./dataRoutes.ts";
import {
  background,
  echoes,
  forwardAuthAddress,
  hostIs,
  methodIs,
  pathBelow,
  requestsFor,
  returnsElsewhere,
  signInRequests,
} from "./matchers.ts";
import { chain, openChain, outpostChain, redirect, REFUSED_ECHOES } from "./chains.ts";
import { dnsLabel } from "./dnsLabel.ts";
import { terminatesTls } from "./exposure.ts";
import type { MiddlewareSpec } from "./middleware.ts";
import { outpostRouteName, ownRouteName, routeName, stackSuffix } from "./objectNames.ts";
import { outposts, signInPages } from "./outposts.ts";
import type { Exposure, Middleware, Outpost, Route, RouteRule, TraefikService } from "./types.ts";
import { refuseSharedNames } from "./sharedNames.ts";

/**
 * Explicit, since Traefik would otherwise rank rules by their length. The outpost's path comes first: an application must not be able to
 * take a sign-in's callback.
 */
const PRIORITY = {
  signedOut: 310,
  outpost: 300,
  publicPath: 200,
  background: 150,
  application: 100,
  // Of the data API.
  description: 200,
  exact: 150,
  planned: 140,
  estimated: 130,
  rows: 100,
};

interface Routing {
  readonly routes: readonly Route[];
  readonly traefikServices: readonly TraefikService[];
  readonly middlewares: readonly Middleware[];
}

/** A rule with its complete middlewares instead of their names. */
interface Rule extends Omit<RouteRule, "middlewares" | "traefikService"> {
  readonly chain: readonly MiddlewareSpec[];
  readonly limited?: LimitedBackend;
}
interface RuleSet extends Omit<Route, "rules"> {
  readonly rules: readonly Rule[];
}

/**
 * Returns the routes of the stack: one for each service, in the namespace of its backend, or several if its domains terminate TLS in different ways,
 * because a route has one entry point and one certificate (Traefik docs, "Routers", TLS); and one for each domain with the outposts' path, in the
 * outposts' namespace, because a route to another namespace would need a setting of Traefik that stays off.
 */
export function routing(settings: Settings, exposures: readonly Exposure[]): Routing {
  const sets = [...applicationRoutes(settings, exposures), ...outpostRoutes(settings, exposures)].map((set) =>
    withStackNames(settings, set),
  );
  const middlewares = new Map<string, Middleware>();
  const traefikServices = new Map<string, TraefikService>();
  for (const { namespace, rules } of sets) {
    for (const middleware of rules.flatMap(({ chain, limited }) => [...chain, ...(limited?.chain ?? [])])) {
      middlewares.set(`${namespace}/${middleware.name}`, { ...middleware, namespace });
    }
    for (const { chain, ...limited } of rules.flatMap(({ limited }) => limited ?? [])) {
      traefikServices.set(`${namespace}/${limited.name}`, { ...limited, middlewares: chain.map(({ name }) => name) });
    }
  }
  const routes = sets.map(({ rules, ...route }) => ({ ...route, rules: rules.map(named) }));
  refuseSharedNames(settings.stack, [...middlewares.values()], routes);
  return { routes, traefikServices: [...traefikServices.values()], middlewares: [...middlewares.values()] };
}

/** Adds the stack to names in the namespace of an existing identity provider, in which other stacks have routes as well. */
function withStackNames(settings: Settings, set: RuleSet): RuleSet {
  if (set.namespace !== settings.identityProvider.namespace) return set;
  const suffix = stackSuffix(settings);
  const own = <T extends { readonly name: string }>(thing: T): T => ({
    ...thing,
    name: dnsLabel(thing.name, ...suffix),
  });
  return { ...own(set), rules: set.rules.map((rule) => ({ ...rule, chain: rule.chain.map(own) })) };
}

function named({ chain: middlewares, limited, ...rule }: Rule): RouteRule {
  return { ...rule, middlewares: middlewares.map(({ name }) => name), traefikService: limited?.name };
}

function applicationRoutes(settings: Settings, exposures: readonly Exposure[]): RuleSet[] {
  const ports = new Map(settings.domains.map(({ kind, port }) => [kind, port]));
  const services = new Map(settings.services.map((service) => [service.name, service]));
  const sets = new Map<string, RuleSet>();
  const add = (exposure: Exposure, tls: Route["tls"], rules: readonly Rule[]) => {
    const { backend, entry, role, service } = exposure;
    const name = entry === undefined ? ownRouteName(role, tls) : routeName(service, tls);
    const { namespace } = backend;
    const set = sets.get(name) ?? { name, namespace, entryPoint: entryPoint(settings, tls), tls, rules: [] };
    sets.set(name, { ...set, rules: [...set.rules, ...rules] });
  };
  for (const exposure of exposures) {
    const tls = terminatesTls(exposure) ? exposure.tls : undefined;
    const rules = rulesOf(exposure, services.get(exposure.entry ?? ""), settings.dataApi);
    add(exposure, tls, rules);
    if (tls) add(exposure, undefined, redirected(rules, ports.get(exposure.domain)));
  }
  return [...sets.values()];
}

function entryPoint({ gateway }: Settings, tls: Route["tls"]): string {
  return tls === undefined ? gateway.httpEntryPoint : gateway.httpsEntryPoint;
}

function rulesOf(exposure: Exposure, service: Service | undefined, dataApi: DataApi | undefined): Rule[] {
  return exposure.role === "data-api" && dataApi
    ? dataApiRules(exposure, dataApi)
    : applicationRules(exposure, service);
}

/** Returns the rules of public paths, then of background requests, then of all other requests. */
function applicationRules(exposure: Exposure, service: Service | undefined): Rule[] {
  const rest = {
    ...common(exposure),
    match: limits(exposure) ?? requestsFor(exposure),
    priority: PRIORITY.application,
  };
  return [
    ...exposure.publicPaths.map((path) => publicPath(exposure, path)),
    ...(hasBackgroundRule(exposure) ? [backgroundRule(exposure, service)] : []),
    { ...rest, ...protection(exposure, service) },
  ];
}

/** Returns the matcher of a host that the stack adds, if it admits some requests only. */
function limits(exposure: Exposure): string | undefined {
  if (exposure.role === "catalog") return `${hostIs(exposure)} && ${methodIs("GET", "HEAD")}`;
  if (exposure.role === "identity-provider") return signInRequests(exposure);
  return exposure.role === "test" && exposure.protection === "open" ? `${hostIs(exposure)} && ${echoes()}` : undefined;
}

function dataApiRules(exposure: Exposure, dataApi: DataApi): Rule[] {
  return dataRules(exposure, dataApi).map(({ match, of, chain }) => ({
    ...common(exposure),
    match,
    priority: PRIORITY[of],
    authentication: "none",
    openBecause: "data-api",
    chain,
    limited: limitedBackend(exposure, dataApi),
  }));
}

function protection(
  exposure: Exposure,
  service: Service | undefined,
): Pick<Rule, "authentication" | "openBecause" | "chain"> {
  const { authentication } = exposure;
  const openBecause = authentication === "none" ? reasonOf(exposure) : undefined;
  const own = openBecause === "open" ? [REFUSED_ECHOES] : [];
  return { authentication, openBecause, chain: [...chain(exposure, service, "login"), ...own] };
}

function reasonOf({ entry, role }: Exposure): NonNullable<RouteRule["openBecause"]> {
  if (entry !== undefined) return "application-login";
  return role === "identity-provider" || role === "data-api" || role === "catalog" ? role : "open";
}

function hasBackgroundRule({ authentication, protection }: Exposure): boolean {
  return authentication !== "none" && protectionOf(protection).gateway?.hasBackgroundRule === true;
}

/** Returns the rule with which background requests and sockets get a 401, since they cannot log in (traefik #13737, authentik PR 17233). */
function backgroundRule(exposure: Exposure, service: Service | undefined): Rule {
  return {
    ...common(exposure),
    match: `${requestsFor(exposure)} && ${background()}`,
    priority: PRIORITY.background,
    authentication: exposure.authentication,
    openBecause: undefined,
    chain: chain(exposure, service, "unauthorized"),
  };
}

function publicPath(exposure: Exposure, path: string): Rule {
  return {
    ...common(exposure),
    match: `${requestsFor(exposure)} && ${pathBelow(path)}`,
    priority: PRIORITY.publicPath,
    authentication: "none",
    openBecause: "public-path",
    chain: openChain(exposure),
  };
}

/**
 * Returns rules that redirect HTTP to HTTPS. The rule keeps its authentication after the redirect, because Traefik does not redirect a request that a trusted
 * proxy received over HTTPS. Public paths of a protected host are not open on HTTP.
 */
function redirected(rules: readonly Rule[], port: number | undefined): Rule[] {
  return rules
    .filter(({ openBecause, priority }) => openBecause === "data-api" || priority === PRIORITY.application)
    .map((rule) => ({ ...rule, chain: [redirect(port), ...rule.chain] }));
}

/** Returns the routes of the outposts' path on hosts with forward auth: one per domain, so that no domain affects another one. */
function outpostRoutes(settings: Settings, exposures: readonly Exposure[]): RuleSet[] {
  const served = new Map(outposts(settings, exposures).map((outpost) => [outpost.name, outpost]));
  const withOutpost = exposures.flatMap((exposure) => {
    const outpost = exposure.outpost === undefined ? undefined : served.get(exposure.outpost);
    return outpost ? [{ exposure, outpost }] : [];
  });
  return [...Map.groupBy(withOutpost, ({ exposure }) => exposure.domain)].flatMap(([domain, hosts]) => {
    const [first] = hosts;
    if (first === undefined) return [];
    const tls = terminatesTls(first.exposure) ? first.exposure.tls : undefined;
    return {
      name: outpostRouteName(domain),
      namespace: first.outpost.namespace,
      entryPoint: entryPoint(settings, tls),
      tls,
      rules: hosts.flatMap(({ exposure, outpost }) => outpostRules(exposure, outpost)),
    };
  });
}

/**
 * Returns the rules of everything below the outpost's path, but not a login that would return to the outpost itself: after a sign-out without a session the
 * outpost starts one whose end is the next sign-out (measured, docs/authentik.md). Nor one that would return to another host. Nor other methods than those of
 * a browser: the outpost keeps each method as a label of its metrics until it restarts (`HandlePing` of 2026.5). Nor the addresses of forward auth, whose
 * response headers contain `X-idp-jwt`: scripts of a page could read the token there.
 */
function outpostRules(exposure: Exposure, { name, namespace, port }: Outpost): Rule[] {
  const open = { ...common(exposure), authentication: "none", openBecause: "identity-provider" } as const;
  return [
    {
      ...open,
      match: `${requestsFor(exposure)} && (${returnsElsewhere(OUTPOST_PATH)} || ${forwardAuthAddress(OUTPOST_PATH)})`,
      priority: PRIORITY.signedOut,
      chain: openChain(exposure),
      backend: signInPages(namespace),
    },
    {
      ...open,
      match: `${requestsFor(exposure)} && ${methodIs("GET", "HEAD")} && PathPrefix(\`${OUTPOST_PATH}/\`)`,
      priority: PRIORITY.outpost,
      chain: outpostChain(exposure),
      backend: { name, namespace, port },
    },
  ];
}

function common({ id, host, backend }: Exposure): Pick<Rule, "exposure" | "host" | "backend"> {
  return { exposure: id, host, backend };
}
