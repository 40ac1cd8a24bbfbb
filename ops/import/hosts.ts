/** What an entry of `protected_services` for one host contains, from the routes that name the host. */
import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import type { Tls } from "../../config/sections/domains/domains.ts";
import { OUTPOST_PATH } from "../../protections/forwardAuth.ts";
import { type Chain, readChain } from "./middlewares.ts";
import { outpostOf } from "./outpost.ts";
import { protectionFor, type Protection } from "./protections.ts";
import { isSimplePath, narrowing, overlap } from "./publicPaths.ts";
import { type Protocol, type Source, type SourceRoute } from "./source.ts";

export interface HostCandidate {
  readonly host: string;
  readonly protocol: Protocol;
  /** Whether each of its routes serves both protocols, so that it can be on a domain with the other one. */
  readonly both: boolean;
  /** Whether a proxy in front of the gateway terminates TLS: the routes are on HTTP, and browsers use HTTPS. */
  readonly upstream: boolean;
  readonly tls: Tls | undefined;
  readonly backend: Backend;
  readonly protection: Protection;
  readonly publicPaths: readonly string[];
  readonly routes: readonly SourceRoute[];
  /** What changes when Gatehouse serves the host. */
  readonly differences: readonly string[];
  /** What changes in addition, by the protocol that the gateway serves it with. */
  readonly protocolDifferences: Readonly<Record<Protocol, readonly string[]>>;
}

/** A route with what its middlewares do. */
interface Read {
  readonly route: SourceRoute;
  readonly chain: Chain;
}

/**
 * Returns the candidate of a host, or why there is none.
 * @param routes all that name the host, each importable by itself
 */
export function hostCandidate(host: string, routes: readonly SourceRoute[], source: Source): HostCandidate | string {
  const all = routes.map((route) => ({ route, chain: readChain(route.middlewares, source) }));
  const isHttps = all.some(({ route }) => route.protocols.has("https"));
  const toOutpost = all.filter(({ route, chain }) => isOutpostPath(route) && chain.authentication.kind === "none");
  const served = all.filter((one) => !toOutpost.includes(one));
  const redirects = served.filter(({ route, chain }) => chain.redirects && !route.protocols.has("https"));
  if (redirects.length > 0 && !isHttps) return "it redirects to HTTPS, and no route serves the host there";
  const kept = served.filter((one) => !redirects.includes(one));
  const own = kept.filter(({ route }) => route.protocols.has(isHttps ? "https" : "http"));
  const onHttp = kept.filter((one) => !own.includes(one));
  const main = own.filter(({ route }) => route.paths.length === 0);
  const [first] = main;
  if (first?.route.backend === undefined) return "no rule serves the whole host, and an entry does";
  const { backend } = first.route;
  const different = [...own, ...onHttp].find(({ route }) => !isSame(route.backend, backend));
  if (different) return `${different.route.match} has another backend, and an entry has one`;
  if (main.some(({ chain }) => !isSame(chain.authentication, first.chain.authentication))) {
    return "its routes have different authentications";
  }
  const paths = publicPathsOf(own, main, first.chain);
  if (typeof paths === "string") return paths;
  const { authentication } = first.chain;
  const outpost = authentication.kind === "none" ? outpostOf(backend, source) : undefined;
  const protection = protectionFor(host, outpost ? { kind: "outpost", outpost } : authentication, source);
  if (typeof protection === "string") return protection;
  if (toOutpost.length > 0 && protection.type !== "proxy")
    return `its path ${OUTPOST_PATH} is routed without forward auth`;
  const tls = isHttps ? (own.find(({ route }) => route.tls)?.route.tls ?? { termination: "default" }) : undefined;
  // Without a name, the entry points are no choice of protocol.
  const both = served.every(({ route, chain }) => route.everywhere && route.protocols.size > 1 && !chain.redirects);
  const onHttps = isHttps && !(both && protection.protocol === "http");
  return {
    host,
    protection,
    both,
    tls,
    routes,
    backend: protection.backend ?? backend,
    protocol: onHttps ? "https" : "http",
    upstream: !isHttps && protection.protocol === "https",
    publicPaths: [...new Set([...protection.publicPaths, ...paths.paths])],
    differences: [
      ...new Set([
        ...[...own, ...onHttp].flatMap(({ chain }) => chain.differences),
        ...protection.differences,
        ...paths.differences,
      ]),
    ],
    protocolDifferences: {
      http: own.some(({ route }) => route.everywhere)
        ? [`it is served on the entry point ${source.entryPoints.http} only, no longer on all`]
        : [],
      https: redirects.length > 0 || own.every(redirectsHttp) ? [] : ["requests over HTTP are redirected to HTTPS"],
    },
  };
}

function isOutpostPath({ paths }: SourceRoute): boolean {
  return paths.length > 0 && paths.every(({ path }) => path === OUTPOST_PATH || path.startsWith(`${OUTPOST_PATH}/`));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the open paths of a protected host, or why they cannot be written. */
function publicPathsOf(own: readonly Read[], main: readonly Read[], { authentication }: Chain) {
  const others = own.filter((one) => !main.includes(one));
  const guarded = others.filter(({ chain }) => isSame(chain.authentication, authentication));
  const open = others.filter((one) => !guarded.includes(one));
  const foreign = open.find(({ chain }) => chain.authentication.kind !== "none");
  if (foreign) return `${foreign.route.match} has another authentication than the rest of the host`;
  const priority = Math.max(...main.map(({ route }) => route.priority));
  const paths = open.flatMap(({ route }) => route.paths);
  for (const { route } of open) {
    const exact = route.paths.find(({ kind, path }) => kind === "exact" || !isSimplePath(path));
    if (exact) return `${route.match} is open, and public_paths cannot open ${exact.path} alone`;
    if (route.priority <= priority)
      return `${route.match} is open, and its priority is not higher than that of the protected rule`;
    const inside = guarded.find((one) =>
      one.route.paths.some((path) => route.paths.some((each) => overlap(path, each))),
    );
    if (inside) return `${inside.route.match} protects a part of the open path ${route.match}`;
  }
  return { paths: paths.map(({ path }) => path), differences: paths.flatMap(narrowing) };
}

function redirectsHttp({ route, chain }: Read): boolean {
  return chain.redirects && route.protocols.has("http");
}
