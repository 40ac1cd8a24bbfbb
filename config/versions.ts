/** Which versions may run together, and which are known to be bad (field.md 3.2, advisories 2024-2026). */
import { coerce, satisfies } from "semver";
import type { Problem } from "./problems.ts";
import { type Drafts, problem, within } from "./rules.ts";

/** Line of the Terraform provider in `sdks/authentik`; it reads servers of its own line only (terraform-provider-authentik #966, #912). */
export const PROVIDER_LINE = "2026.5";

/** Oldest Kubernetes that is supported (docs/versions.md). */
export const MIN_KUBERNETES = "1.33.0";

/** Something that is wrong with a range of versions. */
interface Advisory {
  /** Range as semver writes it. */
  readonly affected: string;
  readonly names: string;
  readonly fault: string;
  readonly fixed: string;
}

/** What an authentik must not have. */
const AUTHENTIK: readonly Advisory[] = [
  {
    affected: "<2025.10.4 || >=2025.12.0 <2025.12.4",
    names: "CVE-2026-25748",
    fault: "a malformed cookie passes forward auth",
    fixed: "2025.12.4",
  },
  {
    affected: "<2026.5.1",
    names: "CVE-2026-49448 and CVE-2026-49443",
    fault: "an empty answer skips a step of the login",
    fixed: "2026.5.1",
  },
  {
    affected: ">=2026.5.0 <2026.5.5",
    names: "the vulnerabilities of authentik #24059 to #24062",
    fault: "four security patches without published details (release notes of 2026.5.5)",
    fixed: "2026.5.5",
  },
];

/** What a Traefik must not have: nothing in this program makes up for it. */
const TRAEFIK_REFUSED: readonly Advisory[] = [
  {
    affected: "<3.7.3",
    names: "CVE-2026-48020",
    fault: "dot segments lead past a route's authentication, and basic auth without users is open",
    fixed: "3.7.3",
  },
];

/** What a Traefik may have, because something here makes up for it. */
const TRAEFIK_DEFENDED: readonly Advisory[] = [
  {
    affected: "<3.7.7",
    names: "CVE-2026-65601",
    fault: "middlewares of another namespace can be named; keep others from writing routes",
    fixed: "3.7.7",
  },
  {
    affected: "<3.7.12",
    names: "CVE-2026-54763 and CVE-2026-88011",
    fault: "forward auth leaves aliases of headers standing; every route drops them here",
    fixed: "3.7.12",
  },
];

/** What a PostgREST must not have; docs/postgrest.md has the differences that are made up for. */
const POSTGREST: readonly Advisory[] = [
  {
    affected: "<12.0.0",
    names: "postgrest #2492",
    fault: "a function cannot answer with a status of its own, so an unchanged answer is sent again",
    fixed: "14.17",
  },
  {
    affected: ">=13.0.0 <14.6.0",
    names: "postgrest #4675",
    fault: "hints of errors name tables that the caller may not see",
    fixed: "14.17",
  },
  {
    affected: ">=13.0.0 <14.13.0",
    names: "postgrest #4955",
    fault: "requests fail when their role has work_mem, which bounds what a query may use",
    fixed: "14.17",
  },
];

/** The pair of authentik's server and Terraform provider belongs together; neither it nor Traefik nor PostgREST has a known hole. */
export function versionRules({ identityProvider, gateway, dataApi }: Drafts): Problem[] {
  const found: Problem[] = [];
  const server = identityProvider?.fields.version;
  if (identityProvider !== undefined && server !== undefined) {
    const place = within(identityProvider.place, "version");
    found.push(...refused("authentik", server, AUTHENTIK).map(([fault, cure]) => problem(place, fault, cure)));
    if (!server.startsWith(`${PROVIDER_LINE}.`)) {
      const fault = `authentik ${server} and the Terraform provider ${PROVIDER_LINE} are no pair (terraform-provider-authentik #966)`;
      found.push(problem(place, fault, `use a ${PROVIDER_LINE} server, or regenerate sdks/authentik`));
    }
  }
  const traefik = gateway.fields.version;
  if (traefik !== undefined) {
    const place = within(gateway.place, "version");
    found.push(...refused("Traefik", traefik, TRAEFIK_REFUSED).map(([fault, cure]) => problem(place, fault, cure)));
  }
  const postgrest = dataApi?.fields.version;
  if (dataApi !== undefined && postgrest !== undefined) {
    const place = within(dataApi.place, "version");
    const full = coerce(postgrest)?.version ?? postgrest;
    found.push(...refused("PostgREST", full, POSTGREST).map(([fault, cure]) => problem(place, fault, cure)));
  }
  return found;
}

/** What is known of the stated Traefik and made up for, or that none is stated. */
export function versionWarnings({ gateway }: Drafts): string[] {
  const { version } = gateway.fields;
  if (version === undefined) {
    return ["gateway.version: not stated; what Traefik runs is not held against the known advisories"];
  }
  return TRAEFIK_DEFENDED.filter(({ affected }) => satisfies(version, affected)).map(
    ({ names, fault, fixed }) => `gateway.version: Traefik ${version} has ${names} (${fault}); fixed in ${fixed}`,
  );
}

/** Fault and cure for each advisory of a Traefik that nothing here makes up for. */
export function traefikFaults(version: string): [fault: string, cure: string][] {
  return refused("Traefik", version, TRAEFIK_REFUSED);
}

/** Fault and cure for each advisory that a version has. */
function refused(product: string, version: string, advisories: readonly Advisory[]): [string, string][] {
  return advisories
    .filter(({ affected }) => satisfies(version, affected))
    .map(({ names, fault, fixed }) => [`${product} ${version} has ${names}: ${fault}`, `use ${fixed} or newer`]);
}
