/** The entry points of a route, and what their TLS and middlewares, as arguments of Traefik, add to it (traefik v3.7, pkg/server/aggregator.go, `applyModel`). */
import { entryPointMiddlewares, entryPointsOf, isOn, type Options } from "../../infra/prerequisites/staticOptions.ts";
import { GUARDS, middlewareKinds } from "../../manifests/middlewares.ts";
import type { RoutingRule } from "../../manifests/routing.ts";
import { middlewareOf } from "./middlewares.ts";
import type { Protocol, Source } from "./source.ts";
import { readTls, type RouteTls } from "./tls.ts";

/** What a plugin does is not known. */
const REFUSING = new Set([...GUARDS, "plugin", "unknown"]);

/**
 * Returns how a rule is served.
 * @param own its TLS; undefined = that of its entry point
 */
export function servedAt({ entryPoints }: RoutingRule, own: RouteTls | undefined, source: Source) {
  const { http, https } = source.entryPoints;
  const isNamed = entryPoints.length > 0;
  const names = isNamed ? entryPoints : [http, https].filter((name) => isDefault(name, source.options));
  const tls = own ?? (names.includes(https) ? entryPointTls(https, source.options) : undefined);
  const protocols = new Set<Protocol>();
  if (own === undefined && names.includes(http)) protocols.add("http");
  // An unnamed entry point without TLS has HTTP as well, on another port.
  if (own !== undefined || (names.includes(https) && (isNamed || tls !== undefined))) protocols.add("https");
  const others = names.filter((name) => name !== http && name !== https);
  return {
    protocols,
    tls,
    everywhere: !isNamed && names.length > 1,
    problems: [
      ...others.map((name) => `it is on the entry point ${name}, which is neither ${http} nor ${https}`),
      ...names.filter((name) => !others.includes(name)).flatMap((name) => middlewareProblems(name, source)),
    ],
  };
}

/** Returns whether routes that name no entry point are on one (Traefik docs, "EntryPoints", `asDefault`). */
function isDefault(name: string, options: Options): boolean {
  const isMarked = (one: string): boolean => isOn(options, `entryPoints.${one}.asDefault`);
  return isMarked(name) || !entryPointsOf(options).some(isMarked);
}

/** Returns the TLS of routes without their own; undefined if there is none, or if it is not known. */
function entryPointTls(name: string, options: Options): RouteTls | undefined {
  const prefix = `entrypoints.${name.toLowerCase()}.http.tls`;
  const isStated = [...options.keys()].some((one) => one.startsWith(`${prefix}.`));
  if (options.has(prefix) ? !isOn(options, prefix) : !isStated) return undefined;
  const fields = { certResolver: options.get(`${prefix}.certresolver`), options: options.get(`${prefix}.options`) };
  return readTls(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
}

/**
 * Returns a problem for each middleware of an entry point that can refuse requests: the routes of the stack get it as well, so that users would need both
 * sessions. The others apply before and after the import.
 */
function middlewareProblems(name: string, { manifests, options }: Source): string[] {
  const { option, names } = entryPointMiddlewares(options, name);
  return names.flatMap((one) => {
    const reference = middlewareOf(one, manifests);
    const kind = middlewareKinds([reference], manifests).find((each) => REFUSING.has(each));
    return kind === undefined
      ? []
      : [
          `its entry point ${name} adds Middleware ${reference} (${kind}) to every route, also to those of the stack. Add it to the routes that need it, instead of --${option}`,
        ];
  });
}
