/** Rules of the data API, and their middlewares. */
import type { DataApi } from "../../config/settings.ts";
import { OPENAPI_SCHEMA } from "./grants.ts";
import {
  type Count,
  COUNTS,
  counts,
  estimatesRelated,
  hostIs,
  methodIs,
  pathIs,
  selects,
  selectsTooMuch,
} from "./matchers.ts";
import { shortHash } from "../shortHash.ts";
import { openChain } from "./chains.ts";
import { dnsLabel } from "./dnsLabel.ts";
import type { MiddlewareSpec } from "./middleware.ts";
import { PORT_NAME } from "./objectNames.ts";
import type { Exposure, TraefikService } from "./types.ts";

/** PostgREST calls functions below this path. */
const FUNCTIONS = "rpc";
/** Path of the OpenAPI 3.1 description, and the function with which PostgREST serves it. */
const DESCRIPTION = { path: "/openapi.json", from: `/${FUNCTIONS}/document` };

const UNROUTED_QUERY: MiddlewareSpec = { name: "gatehouse-unrouted-query", kind: "unrouted-query" };
const REFUSED_FUNCTIONS: MiddlewareSpec = {
  name: "gatehouse-refused-functions",
  kind: "refused-paths",
  names: [FUNCTIONS],
};
const UNAVAILABLE: MiddlewareSpec = { name: "gatehouse-unavailable", kind: "unavailable" };
const preferring = (count: Count): MiddlewareSpec => ({ name: `gatehouse-${count}-count`, kind: "count", count });

/** A rule of the data API with its middlewares. */
interface DataRule {
  readonly match: string;
  /** The description comes before a relation that would have its name; a count before rows. */
  readonly of: "description" | Count | "rows";
  readonly chain: readonly MiddlewareSpec[];
}

/** A TraefikService with its complete middlewares instead of their names. */
export interface LimitedBackend extends Omit<TraefikService, "middlewares"> {
  readonly chain: readonly MiddlewareSpec[];
}

/**
 * Returns one rule for each exposed schema. The rule sets the schema for PostgREST, so that a client that names several schemas cannot select
 * another one. A request for a schema that is not exposed matches no rule and gets 404 (docs/postgrest.md); PostgREST would return 406 and list its schemas.
 * A second rule for each kind of count sets `Prefer` to the count alone: of several `Prefer`, the database reads the last one, PostgREST all of them.
 */
export function dataRules(exposure: Exposure, dataApi: DataApi): DataRule[] {
  const host = `${hostIs(exposure)} && ${methodIs("GET", "HEAD", "OPTIONS")}`;
  const front = [...openChain(exposure), REFUSED_FUNCTIONS, anonymous(exposure), UNAVAILABLE];
  const [first] = dataApi.exposed;
  const tooMuch = selectsTooMuch();
  const schemas = dataApi.exposed.map((schema) => ({
    // The headers first: Traefik computes the expressions of the query for one schema only.
    within: `${selects(schema, schema === first)} && !PathPrefix(\`/${FUNCTIONS}/\`) && !${tooMuch} && !${estimatesRelated()}`,
    chain: [...front, profile(schema, dataApi.deprecated)],
  }));
  return [
    {
      match: `${host} && ${pathIs(DESCRIPTION.path)} && !${tooMuch}`,
      of: "description",
      chain: [...front, profile(OPENAPI_SCHEMA), replacePath(DESCRIPTION.from)],
    },
    // The header is compared first, because most requests have none.
    ...COUNTS.flatMap((count) =>
      schemas.map(({ within, chain }) => ({
        match: `${host} && ${counts(count)} && ${within}`,
        of: count,
        chain: [...chain, preferring(count)],
      })),
    ),
    ...schemas.map(({ within, chain }) => ({ match: `${host} && ${within}`, of: "rows" as const, chain })),
  ];
}

/**
 * Returns PostgREST with the limits of a query and of one client, for all rules and hosts together. Behind a proxy that terminates TLS, the client is the last
 * address that the proxy adds, so that these hosts have separate limits. Traefik compiles the long expression of a query at each change of any route, here
 * once: as a middleware of each rule, that was 40% of its CPU time (measured with 3.7.5 and 39 rules).
 */
export function limitedBackend(exposure: Exposure, { limits }: DataApi): LimitedBackend {
  const { backend } = exposure;
  const upstream = isUpstream(exposure);
  const named = (name: string): string => upstreamName(name, upstream);
  const { requestsPerSecond: average, burst, inFlight: amount } = limits;
  return {
    name: named("gatehouse-data-api"),
    namespace: backend.namespace,
    service: backend.name,
    port: upstream ? PORT_NAME : backend.port,
    chain: [
      UNROUTED_QUERY,
      { name: named("gatehouse-rate-limit"), kind: "rate-limit", average, burst, upstream },
      { name: named("gatehouse-in-flight"), kind: "in-flight", amount, upstream },
    ],
  };
}

function anonymous(exposure: Exposure): MiddlewareSpec {
  const upstream = isUpstream(exposure);
  return { name: upstreamName("gatehouse-anonymous", upstream), kind: "anonymous", upstream };
}

function isUpstream({ tls }: Exposure): boolean {
  return tls?.termination === "upstream";
}

function upstreamName(name: string, upstream: boolean): string {
  return dnsLabel(name, ...(upstream ? ["upstream"] : []));
}

function profile(schema: string, deprecated: DataApi["deprecated"] = []): MiddlewareSpec {
  const deprecation = deprecated.find((candidate) => candidate.schema === schema);
  // Kubernetes permits no name that ends in a hyphen, and Traefik reads several hyphens as one (traefikName).
  const hash = /^_|_$|__/.test(schema) ? [shortHash(schema)] : [];
  const name = dnsLabel("gatehouse-profile", ...schema.split("_").filter((part) => part !== ""), ...hash);
  return { name, kind: "profile", schema, deprecation };
}

function replacePath(path: string): MiddlewareSpec {
  return { name: "gatehouse-openapi", kind: "replace-path", path };
}
