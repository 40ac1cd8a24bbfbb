/** The probes that need no access to the cluster: routes, sign-in, forged headers, names, certificates, the data API and its catalog. */
import { type ExpectedExposure, isEcho, type OutsideTarget } from "../../../infra/verification/target.ts";
import { checkCatalog } from "./catalog.ts";
import { checkCertificate } from "./certificates.ts";
import { type Check, skip } from "../check.ts";
import { checkDataApi } from "./dataApi.ts";
import { checkNotRouted, checkRoute, checkSpoofing, type RouteResponse } from "./gateway.ts";
import { checkName } from "./dns.ts";
import type { Probe } from "./probe.ts";
import { type Accounts, refusalProbes, signInProbe } from "./signInProbes.ts";

/** Values that the probes observe in addition to their checks. */
export class Observations {
  /** By id of the exposure. */
  readonly routes = new Map<string, RouteResponse>();
  readonly expiries = new Map<string, Date>();
}

/** An unknown host: names below `.invalid` never exist (RFC 2606). */
const UNKNOWN_HOST = "gatehouse-unknown.invalid";

/**
 * Returns the probes that need nothing but requests to the gateway.
 * @param accounts the accounts that sign in
 * @param observations receives values while the probes run
 */
export function outsideProbes(target: OutsideTarget, accounts: Accounts, observations: Observations): Probe[] {
  const { exposures } = target;
  const probes = exposures.flatMap((exposure) => exposureProbes(target, exposure, accounts, observations));
  return [...probes, ...refusalProbes(target, accounts), ...unroutedProbes(target)];
}

function exposureProbes(
  target: OutsideTarget,
  exposure: ExpectedExposure,
  accounts: Accounts,
  observations: Observations,
): Probe[] {
  const { role, url: subject, host, domain, tls, id, protection } = exposure;
  const onResponse = (response: RouteResponse): void => void observations.routes.set(id, response);
  const probes: Probe[] = [
    { kind: "routes", subject, run: () => checkRoute(exposure, target.identityProviderUrl ?? "", onResponse) },
    ...signInProbe(target, exposure, accounts),
  ];
  const one = (kind: Probe["kind"], run: () => Promise<Check>): void =>
    void probes.push({ kind, subject, run: async () => [await run()] });
  if (isEcho(target, exposure) && protection === "open") one("spoofs", () => checkSpoofing(exposure));
  const targets = target.records.find((records) => records.domain === domain)?.targets ?? [];
  one("dns", () => checkName(host, { targets }));
  if (tls !== undefined) {
    one("certificates", () => checkCertificate(exposure, (expires) => observations.expiries.set(host, expires)));
  }
  if (role === "data-api") {
    probes.push({ kind: "data-api", subject, run: () => checkDataApi(subject, target.schemas) });
  }
  if (role === "catalog" && target.catalogPath !== undefined) {
    const { catalogPath } = target;
    const data = target.exposures.find((one) => one.role === "data-api" && one.domain === domain)?.url ?? "";
    probes.push({ kind: "catalog", subject, run: () => checkCatalog(`${subject}${catalogPath}`, data) });
  }
  return probes;
}

/** Returns probes of the host of each service on a disabled domain, and of an unknown host. */
function unroutedProbes({ disabled, exposures }: OutsideTarget): Probe[] {
  // An exposure on HTTP needs no certificate.
  const gateway = exposures.find(({ tls }) => tls === undefined) ?? exposures[0];
  if (gateway === undefined) return [];
  const probe = (subject: string, check: () => Check | Promise<Check>): Probe => {
    return { kind: "domains", subject, run: async () => [await check()] };
  };
  const ofDisabled = disabled.flatMap(({ domain, baseDomain, hosts }) => {
    const subject = `domain ${domain}`;
    if (hosts.length === 0 || (baseDomain !== "" && !baseDomain.includes("$"))) {
      return hosts.map((host) => probe(subject, () => checkNotRouted(gateway.url, host)));
    }
    const reason = `its base domain ${baseDomain || "is not stated, and"} is not looked up while the domain is off`;
    const hint = `write domains.${domain}.base_domain in the clear, so that its hosts are tried`;
    return [probe(subject, () => skip("its hosts are not routed", reason, hint))];
  });
  return [...ofDisabled, probe("any other host", () => checkNotRouted(gateway.url, UNKNOWN_HOST))];
}
