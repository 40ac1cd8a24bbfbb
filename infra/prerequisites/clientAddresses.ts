import { isInternet } from "../../config/schema/networks.ts";
import type { Settings } from "../../config/settings.ts";
import type { Plan } from "../plan/types.ts";
import type { TraefikFacts } from "./cluster.ts";
import type { Named, PrerequisiteResult } from "./prerequisite.ts";
import { isOn, type Options } from "./staticOptions.ts";

/**
 * Returns whether the limits per client have the address of each client (docs/limits.md): of the domains whose TLS a proxy terminates, and of the data
 * API (https://doc.traefik.io, EntryPoints, Forwarded Headers).
 */
export function clientAddresses(settings: Settings, plan: Plan, facts: TraefikFacts, options: Options): Named[] {
  return [
    ...upstreamDomains(settings).map((domain) => ({
      name: `client addresses of domain ${domain}`,
      result: ofDomain(settings, domain, options),
    })),
    ...(plan.traefikServices.length > 0
      ? [{ name: "client addresses of the data API", result: ofDataApi(settings, plan, facts, options) }]
      : []),
  ];
}

/** Returns the enabled domains whose TLS a proxy before the gateway terminates. */
export function upstreamDomains({ domains }: Settings): string[] {
  return domains.filter(({ enabled, tls }) => enabled && tls?.termination === "upstream").map(({ kind }) => kind);
}

/** Returns the entry points of the data API. */
export function dataEntryPoints({ routes }: Plan): string[] {
  const limited = routes.filter(({ rules }) => rules.some(({ traefikService }) => traefikService !== undefined));
  return [...new Set(limited.map(({ entryPoint }) => entryPoint))];
}

/** Checks the proxies that Traefik trusts for a domain, since it reads a client's address from their header. */
function ofDomain({ gateway }: Settings, domain: string, options: Options): PrerequisiteResult {
  const prefix = `entryPoints.${gateway.httpEntryPoint}.forwardedHeaders`;
  const trusted = (valueOf(options, `${prefix}.trustedIPs`) ?? "").split(",").filter((address) => address !== "");
  const internet = trusted.find((address) => isInternet(address.trim()));
  const missing = (problem: string): PrerequisiteResult => ({
    entry: `domains.${domain}.tls: upstream`,
    problem,
    hint: `list the addresses of the proxies in --${prefix}.trustedIPs`,
  });
  const untrusted = isOn(options, `${prefix}.insecure`)
    ? `every sender (--${prefix}.insecure)`
    : internet && `the internet or a great part of it (--${prefix}.trustedIPs=${internet})`;
  if (untrusted)
    return missing(
      `Traefik trusts the X-Forwarded-For header of ${untrusted}, so that a client can choose its address`,
    );
  if (trusted.length === 0) return missing("Traefik trusts no proxy, so that all clients share one rate limit");
  return { observed: `from X-Forwarded-For of ${trusted.join(", ")}` };
}

/** Checks that Traefik appends addresses, by which Postgres counts the queries of a client (infra/data/sql/010_pre_request.sql). */
function ofDataApi(
  { gateway }: Settings,
  plan: Plan,
  { nodePortServices }: TraefikFacts,
  options: Options,
): PrerequisiteResult {
  const names = dataEntryPoints(plan);
  const [keeps] = ["global", ...names.map((name) => `entryPoints.${name}.forwardedHeaders`)]
    .map((prefix) => `${prefix}.notAppendXForwardedFor`)
    .filter((option) => isOn(options, option));
  if (keeps !== undefined) {
    const problem = `Traefik does not append the address of a client to X-Forwarded-For (--${keeps}), so that a client can choose its address`;
    return { entry: "data_api", problem, hint: `remove the argument --${keeps}` };
  }
  const hasProxyProtocol = names.every((name) => valueOf(options, `entryPoints.${name}.proxyProtocol.trustedIPs`));
  if (nodePortServices?.length && !hasProxyProtocol) {
    return {
      reason: `Service ${gateway.namespace}/${nodePortServices.join(", ")} has externalTrafficPolicy Cluster, with which nodes can replace the addresses of clients by their own`,
      hint: "set externalTrafficPolicy: Local, so that clients do not share the limits of one address (docs/prerequisites.md)",
    };
  }
  return { observed: "appended to X-Forwarded-For" };
}

function valueOf(options: Options, name: string): string | undefined {
  return options.get(name.toLowerCase());
}
