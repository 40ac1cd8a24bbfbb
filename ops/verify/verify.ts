import type { Domain, SampleUser } from "../../config/settings.ts";
import type { Exposure, Plan } from "../../infra/plan/types.ts";
import type { Check } from "./check.ts";
import { checkCatalog } from "./catalog.ts";
import { checkCluster, type ClusterTarget } from "./cluster.ts";
import { checkDataApi } from "./dataApi.ts";
import { checkDatabase, type DatabaseTarget } from "./database.ts";
import {
  askWithoutSession,
  checkNotRouted,
  checkSignIn,
  checkSpoofing,
  checkWrongGroup,
  type RouteAnswer,
} from "./gateway.ts";

export interface VerifyTarget {
  readonly plan: Plan;
  readonly domains: readonly Domain[];
  /** Sample users with their passwords in clear; without any, nobody signs in. */
  readonly users: readonly (Omit<SampleUser, "password"> & { readonly password: string })[];
  /** The Service of the echo application: exposures of it show which headers arrive. */
  readonly echo: Exposure["backend"];
  /** Address of the gateway itself, for hosts that no name leads to. */
  readonly gateway: string;
  readonly cluster: ClusterTarget;
  /** Of a stack with a data API. */
  readonly database: DatabaseTarget | undefined;
}

export interface Report {
  readonly routes: readonly RouteAnswer[];
  readonly checks: readonly Check[];
}

/** Probes every exposure, the sign-in of the sample users, forged headers, disabled domains, the data API and its catalogue of a live deployment. */
export async function verify(target: VerifyTarget): Promise<Report> {
  const { plan } = target;
  const identityProvider = plan.identityProviderUrl ?? "";
  const { routes, checks } = await askWithoutSession(plan.exposures, identityProvider);
  checks.push(...(await checkUsers(target, `${identityProvider}/application/o/${plan.identitySlug}/jwks/`)));
  for (const exposure of plan.exposures.filter(
    (candidate) => isEcho(target, candidate) && candidate.protection === "open",
  )) {
    checks.push(await checkSpoofing(exposure));
  }
  checks.push(...(await checkDisabledDomains(target)));
  const data = plan.exposures.filter(({ role }) => role === "data-api");
  for (const { url } of data) {
    checks.push(...(await checkDataApi(url, plan.data?.schemas ?? [])));
  }
  const catalog = target.cluster.settings.dataApi?.catalog;
  if (catalog) checks.push(...(await checkCatalog(catalog, plan.exposures)));
  if (plan.data && target.database) checks.push(...(await checkDatabase(target.database, plan.data)));
  checks.push(...(await checkCluster(target.cluster)));
  return { routes, checks };
}

async function checkUsers(target: VerifyTarget, jwks: string): Promise<Check[]> {
  const exposures = target.plan.exposures.filter(
    (exposure) => isEcho(target, exposure) && exposure.authentication === "forward-auth",
  );
  const checks: Check[] = [];
  for (const exposure of exposures) {
    for (const user of target.users) {
      const mayEnter = exposure.groups.length === 0 || user.groups.some((group) => exposure.groups.includes(group));
      checks.push(await (mayEnter ? checkSignIn(exposure, user, jwks) : checkWrongGroup(exposure, user)));
    }
  }
  return checks;
}

function isEcho({ echo }: VerifyTarget, { backend }: Exposure): boolean {
  return backend.name === echo.name && backend.namespace === echo.namespace;
}

async function checkDisabledDomains({ plan, domains, gateway }: VerifyTarget): Promise<Check[]> {
  const services = new Set(plan.exposures.filter(({ role }) => role === "service").map(({ service }) => service));
  const disabled = domains.filter(({ enabled }) => !enabled);
  const hosts = disabled.flatMap(({ baseDomain }) => [...services].map((service) => `${service}.${baseDomain}`));
  return Promise.all(hosts.filter((host) => !host.includes("$")).map((host) => checkNotRouted(gateway, host)));
}
