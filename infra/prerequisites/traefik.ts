import type { Settings } from "../../config/settings.ts";
import { withHint } from "../../config/problems.ts";
import { advisoriesOfTraefik } from "../../config/versions.ts";
import type { Plan } from "../plan/types.ts";
import type { TraefikFacts } from "./cluster.ts";

/** A field of the Middleware definition that Traefik 3.7.3 and newer has; its API server drops an unknown field, and the route fails. */
const FIELD = "maxResponseBodySize";

/** Returns what is wrong with the Traefik that runs in the cluster, each with its fix. What cannot be read is not reported. */
export function traefikProblems(settings: Settings, plan: Plan, facts: TraefikFacts): string[] {
  return [
    ...versionProblems(settings, facts),
    ...definitionProblems(plan, facts),
    ...entryPointProblems(settings, plan, facts),
    ...trustedAddressProblems(settings, facts),
  ];
}

function versionProblems({ gateway }: Settings, { version }: TraefikFacts): string[] {
  if (version === undefined) return [];
  const found = advisoriesOfTraefik(version).map(
    ([problem, fix]) =>
      `gateway: Traefik in namespace ${gateway.namespace}: ${withHint(problem, fix)} See docs/versions.md.`,
  );
  if (gateway.version === undefined || gateway.version === version) return found;
  const fix = `Set gateway.version to ${version}, or upgrade Traefik.`;
  return [
    ...found,
    `gateway.version: ${gateway.version}, but Traefik in namespace ${gateway.namespace} is ${version}. ${fix}`,
  ];
}

function definitionProblems({ middlewares }: Plan, { forwardAuthFields }: TraefikFacts): string[] {
  if (!middlewares.some(({ kind }) => kind === "forward-auth")) return [];
  if (forwardAuthFields === undefined || forwardAuthFields.includes(FIELD)) return [];
  return [
    `gateway: the definition of Middleware in the cluster has no field forwardAuth.${FIELD}. Apply the custom resource definitions of ` +
      "the Traefik that runs, or upgrade its chart instead of its image alone (docs/versions.md).",
  ];
}

/** Traefik's chart states each entry point as an argument. */
function entryPointProblems({ gateway }: Settings, plan: Plan, { args }: TraefikFacts): string[] {
  const known = [
    ...new Set(args.flatMap((arg) => /^--entrypoints\.([^.=]+)[.=]/i.exec(arg)?.[1]?.toLowerCase() ?? [])),
  ];
  if (known.length === 0) return [];
  const settings = { http_entry_point: gateway.httpEntryPoint, https_entry_point: gateway.httpsEntryPoint };
  const used = new Set(plan.routes.map(({ entryPoint }) => entryPoint));
  return Object.entries(settings)
    .filter(([, name]) => used.has(name) && !known.includes(name.toLowerCase()))
    .map(
      ([key, name]) =>
        `gateway.${key}: Traefik in namespace ${gateway.namespace} has no entry point "${name}". Use one of ${known.sort().join(", ")}.`,
    );
}

function trustedAddressProblems(settings: Settings, facts: TraefikFacts): string[] {
  const found = clientAddresses(settings, facts);
  if (found === undefined || "trusted" in found) return [];
  return upstreamDomains(settings).map(
    (domain) => `domains.${domain}.tls: upstream: ${withHint(found.problem, trustedAddressesHint(settings))}`,
  );
}

/**
 * Returns the proxies from whose `X-Forwarded-For` header Traefik takes the address of a client, or why it does not know that address.
 * With `tls: upstream` the limits per client need it (https://doc.traefik.io, EntryPoints, Forwarded Headers). Undefined where Traefik's
 * arguments do not state its entry points.
 */
export function clientAddresses(
  settings: Settings,
  facts: TraefikFacts,
): { readonly trusted: readonly string[] } | { readonly problem: string } | undefined {
  const trusted = trustedAddresses(settings, facts);
  if (trusted === undefined) return undefined;
  if (trusted === "everyone") {
    const option = `${forwardedHeaders(settings)}.insecure`;
    const problem = `Traefik trusts the X-Forwarded-For header of every sender (${option}), so that a client can choose its address`;
    return { problem };
  }
  return trusted.length > 0
    ? { trusted }
    : { problem: "Traefik trusts no proxy, so that all clients share one rate limit" };
}

/** Returns what to configure where a domain has `tls: upstream`. */
export function trustedAddressesHint(settings: Settings): string {
  return `list the addresses of the proxies in ${forwardedHeaders(settings)}.trustedIPs`;
}

function forwardedHeaders({ gateway }: Settings): string {
  return `--entryPoints.${gateway.httpEntryPoint}.forwardedHeaders`;
}

/** Returns the enabled domains whose TLS a proxy before the gateway terminates. */
export function upstreamDomains({ domains }: Settings): string[] {
  return domains.filter(({ enabled, tls }) => enabled && tls?.ends === "upstream").map(({ kind }) => kind);
}

/**
 * Returns the addresses of senders whose `X-Forwarded-For` header Traefik uses; "everyone" where it trusts all; undefined where its arguments
 * do not state its entry points, because a file or variables configure it.
 */
function trustedAddresses({ gateway }: Settings, { args }: TraefikFacts): readonly string[] | "everyone" | undefined {
  const prefix = `--entrypoints.${gateway.httpEntryPoint.toLowerCase()}.`;
  const options = args
    .filter((arg) => arg.toLowerCase().startsWith(prefix))
    .map((arg) => /^([^=]*)=?(.*)$/.exec(arg.slice(prefix.length)))
    .map((match) => [match?.[1]?.toLowerCase() ?? "", match?.[2] ?? ""] as const);
  if (options.length === 0) return undefined;
  if (options.some(([name, value]) => name === "forwardedheaders.insecure" && value !== "false")) return "everyone";
  return options.flatMap(([name, value]) =>
    name === "forwardedheaders.trustedips" ? value.split(",").filter((address) => address !== "") : [],
  );
}
