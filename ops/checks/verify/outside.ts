/** The probes that need no access to the cluster: routes, sign-in, forged headers, names, certificates, the data API and its catalog. */
import { type ExpectedExposure, isEcho, type OutsideTarget } from "../../../infra/verification/target.ts";
import { checkCatalog } from "./catalog.ts";
import { checkCertificate } from "./certificates.ts";
import { type Check, skip } from "../check.ts";
import { checkDataApi } from "./dataApi.ts";
import { checkRoute, checkSpoofing, type RouteResponse } from "./gateway.ts";
import { checkName } from "./dns.ts";
import type { Probe } from "./probe.ts";
import { type Accounts, refusalProbes, signInProbe } from "./signInProbes.ts";
import { unroutedProbes } from "./unrouted.ts";

/** Values that the probes observe in addition to their checks. */
export class Observations {
  /** By id of the exposure. */
  readonly routes = new Map<string, RouteResponse>();
  readonly expiries = new Map<string, Date>();
}

/**
 * Returns the probes that need nothing but requests to the gateway.
 * @param accounts the accounts that sign in
 * @param observations receives values while the probes run
 */
export function outsideProbes(target: OutsideTarget, accounts: Accounts, observations: Observations): Probe[] {
  const { exposures } = target;
  const probes = exposures.flatMap((exposure) => exposureProbes(target, exposure, accounts, observations));
  return [...probes, ...headerProbes(target), ...refusalProbes(target, accounts), ...unroutedProbes(target)];
}

/** Reports that no host shows which headers arrive, so that no identity header is checked. */
function headerProbes(target: OutsideTarget): Probe[] {
  if (target.exposures.some((exposure) => isEcho(target, exposure))) return [];
  const reason = "no host shows which headers arrive: the stack has no test environments";
  const hint =
    "run npx gatehouse audit, which compares the middlewares that remove the headers; test environments need the domain localhost";
  const check = skip("no forged identity header arrives", reason, hint);
  return [{ kind: "spoofs", subject: "identity headers", run: () => Promise.resolve([check]) }];
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
    probes.push({ kind: "data-api", subject, run: () => checkDataApi(subject, target.schemas, target.maxRows ?? 0) });
  }
  if (role === "catalog" && target.catalogPath !== undefined) {
    const { catalogPath } = target;
    const data = target.exposures.find((one) => one.role === "data-api" && one.domain === domain)?.url ?? "";
    probes.push({ kind: "catalog", subject, run: () => checkCatalog(`${subject}${catalogPath}`, data) });
  }
  return probes;
}
