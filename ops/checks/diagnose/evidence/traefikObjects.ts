/** Traefik's custom resources, reduced to what causes are decided from. */
import type { DeployedMiddleware, DeployedRoute, DeployedRule } from "../evidence.ts";

/** A custom resource as the API server gives it. */
export interface Custom {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

interface Rule {
  readonly match: string;
  readonly priority?: number;
  readonly middlewares?: readonly { readonly name: string; readonly namespace?: string }[];
  readonly services?: readonly {
    readonly name: string;
    readonly namespace?: string;
    readonly port?: number | string;
    readonly passHostHeader?: boolean;
  }[];
}

interface Middleware {
  readonly forwardAuth?: {
    readonly address?: string;
    readonly authRequestHeaders?: readonly string[];
    readonly authResponseHeaders?: readonly string[];
    readonly trustForwardHeader?: boolean;
  };
  readonly basicAuth?: { readonly secret?: string };
  readonly headers?: { readonly customRequestHeaders?: Readonly<Record<string, string>> };
}

/** An IngressRoute. */
export function routeOf({ metadata: { namespace, name }, spec }: Custom): DeployedRoute {
  const { entryPoints, routes } = spec as { entryPoints?: readonly string[]; routes?: readonly Rule[] };
  return {
    namespace,
    name,
    entryPoints: entryPoints ?? [],
    rules: (routes ?? []).map((rule) => ruleOf(rule, namespace)),
  };
}

function ruleOf({ match, priority, middlewares, services }: Rule, own: string): DeployedRule {
  return {
    match,
    priority: priority === undefined || priority === 0 ? match.length : priority,
    middlewares: (middlewares ?? []).map(({ name, namespace }) => `${namespace ?? own}/${name}`),
    backends: (services ?? []).map(({ name, namespace, port }) => `${namespace ?? own}/${name}:${port ?? ""}`),
    passHostHeader: (services ?? []).every(({ passHostHeader }) => passHostHeader !== false),
  };
}

/** A Middleware. Of a header that it sets the value stays out: some hold credentials. */
export function middlewareOf({ metadata: { namespace, name }, spec }: Custom): DeployedMiddleware {
  const { forwardAuth, basicAuth, headers } = spec as Middleware;
  const changed = Object.entries(headers?.customRequestHeaders ?? {});
  return {
    namespace,
    name,
    forwardAuth: forwardAuth && {
      address: withoutQuery(forwardAuth.address ?? ""),
      requestHeaders: forwardAuth.authRequestHeaders,
      responseHeaders: forwardAuth.authResponseHeaders ?? [],
      trustForwardHeader: forwardAuth.trustForwardHeader ?? false,
    },
    basicAuth: basicAuth?.secret,
    requestHeaders: new Map(changed.map(([header, value]) => [header.toLowerCase(), value === "" ? "removed" : "set"])),
  };
}

/** Origin and path of an address; what is no address stays. */
export function withoutQuery(address: string): string {
  const url = URL.parse(address);
  return url ? url.origin + url.pathname : address;
}
