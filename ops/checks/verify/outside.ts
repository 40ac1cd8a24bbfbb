/** The probes that need no access to the cluster: routes, sign-in, forged headers, names, certificates, the data API and its catalog. */
import type { Exposure } from "../../../infra/plan/types.ts";
import { type ExpectedExposure, isEcho, type OutsideTarget } from "../../../infra/verification/target.ts";
import { checkCatalog } from "./catalog.ts";
import { checkCertificate } from "./certificates.ts";
import { type Check, skip } from "../check.ts";
import { checkDataApi } from "./dataApi.ts";
import { checkNotRouted, checkRoute, checkSpoofing, type RouteAnswer } from "./gateway.ts";
import { checkName } from "./names.ts";
import type { Probe } from "./probe.ts";
import { type Callers, signInProbe } from "./signInProbes.ts";

/** Values that the probes observe in addition to their checks. */
export class Observations {
  /** By id of the exposure. */
  readonly routes = new Map<string, RouteAnswer>();
  /** When the certificate of a host expires. */
  readonly expiries = new Map<string, Date>();
}

/** An unknown host: names below `.invalid` never exist (RFC 2606). */
const UNKNOWN_HOST = "gatehouse-unknown.invalid";

/**
 * @param callers the accounts that sign in
 * @param observations receives values while the probes run
 */
export function outsideProbes(target: OutsideTarget, callers: Callers, observations: Observations): Probe[] {
  const { exposures } = target;
  const probes = exposures.flatMap((exposure) => exposureProbes(target, exposure, callers, observations));
  return [...probes, ...disabledProbes(target), ...unknownHostProbe(exposures)];
}

function exposureProbes(
  target: OutsideTarget,
  exposure: ExpectedExposure,
  callers: Callers,
  observations: Observations,
): Probe[] {
  const { role, url: subject, host, domain, tls, id, protection } = exposure;
  const onAnswer = (answer: RouteAnswer): void => void observations.routes.set(id, answer);
  const probes: Probe[] = [
    { kind: "routes", subject, run: () => checkRoute(exposure, target.identityProviderUrl ?? "", onAnswer) },
    ...signInProbe(target, exposure, callers),
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
    const data = exposures(target, "data-api").find((candidate) => candidate.domain === domain)?.url ?? "";
    probes.push({ kind: "catalog", subject, run: () => checkCatalog(`${subject}${catalogPath}`, data) });
  }
  return probes;
}

function exposures(target: OutsideTarget, role: Exposure["role"]): Exposure[] {
  return target.exposures.filter((exposure) => exposure.role === role);
}

/** The host of each service on a disabled domain. */
function disabledProbes({ disabled, exposures }: OutsideTarget): Probe[] {
  return disabled.flatMap(({ domain, baseDomain, hosts }): Probe[] => {
    const subject = `domain ${domain}`;
    if (hosts.length === 0 || exposures.length === 0) return [];
    if (!baseDomain.includes("$") && baseDomain !== "") {
      return hosts.map((host) => ({
        kind: "domains",
        subject,
        run: async () => [await checkNotRouted(gatewayOf(exposures), host)],
      }));
    }
    const reason = `its base domain ${baseDomain || "is not stated, and"} is not looked up while the domain is off`;
    const hint = `write domains.${domain}.base_domain in the clear, so that its hosts are tried`;
    return [{ kind: "domains", subject, run: () => Promise.resolve([skip("its hosts are not routed", reason, hint)]) }];
  });
}

function unknownHostProbe(exposures: readonly Exposure[]): Probe[] {
  if (exposures.length === 0) return [];
  const run = async (): Promise<Check[]> => [await checkNotRouted(gatewayOf(exposures), UNKNOWN_HOST)];
  return [{ kind: "domains", subject: "any other host", run }];
}

/** The address of the gateway; an exposure on HTTP needs no certificate. */
function gatewayOf(exposures: readonly Exposure[]): string {
  return (exposures.find(({ tls }) => tls === undefined) ?? exposures[0])?.url ?? "";
}
