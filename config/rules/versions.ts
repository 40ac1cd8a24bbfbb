/** Versions that may run together, and those with known vulnerabilities and bugs (advisories of 2024 to 2026; docs/versions.md). */
import { coerce, satisfies } from "semver";
import { type Location, within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { DataApiDraft } from "../sections/dataApi/dataApi.ts";
import type { GatewayDraft } from "../sections/gateway.ts";
import type { IdentityProviderDraft } from "../sections/identityProvider/identityProvider.ts";

/** Release series of the Terraform provider in `sdks/authentik`; it reads servers of the same series only (terraform-provider-authentik #966, #912). */
export const PROVIDER_SERIES = "2026.5";

/** Oldest Kubernetes that is supported (docs/versions.md). */
export const MIN_KUBERNETES = "1.33.0";

/** A known vulnerability or bug of a range of versions. */
interface Advisory {
  /** Range as semver writes it. */
  readonly affected: string;
  readonly names: string;
  readonly effect: string;
  readonly fixed: string;
}

/** Advisories of authentik versions that are refused. */
const AUTHENTIK: readonly Advisory[] = [
  {
    affected: "<2025.10.4 || >=2025.12.0 <2025.12.4",
    names: "CVE-2026-25748",
    effect: "a malformed cookie bypasses forward auth",
    fixed: "2025.12.4",
  },
  {
    affected: "<2026.5.1",
    names: "CVE-2026-49448 and CVE-2026-49443",
    effect: "an empty response skips a step of the login",
    fixed: "2026.5.1",
  },
  {
    affected: ">=2026.5.0 <2026.5.5",
    names: "the vulnerabilities of authentik #24059 to #24062",
    effect: "four security patches without published details (release notes of 2026.5.5)",
    fixed: "2026.5.5",
  },
];

/** Advisories of Traefik versions that are refused, because Gatehouse cannot mitigate them. */
const TRAEFIK_REFUSED: readonly Advisory[] = [
  {
    affected: "<3.7.3",
    names: "CVE-2026-48020",
    effect: "dot segments bypass the authentication of a route, and basic auth without users is open",
    fixed: "3.7.3",
  },
];

/** Advisories of Traefik versions that Gatehouse mitigates; they are warnings. */
const TRAEFIK_MITIGATED: readonly Advisory[] = [
  {
    affected: "<3.7.7",
    names: "CVE-2026-65601",
    effect: "a route can use middlewares of another namespace; restrict who can create routes",
    fixed: "3.7.7",
  },
  {
    affected: "<3.7.12",
    names: "CVE-2026-54763 and CVE-2026-88011",
    effect: "forward auth does not remove aliases of headers; Gatehouse removes them on every route",
    fixed: "3.7.12",
  },
];

/** Advisories of PostgREST versions that are refused; docs/postgrest.md lists the differences that Gatehouse handles. */
const POSTGREST: readonly Advisory[] = [
  {
    affected: "<12.0.0",
    names: "postgrest #2492",
    effect: "a function cannot set the status of a response, so there are no 304 responses",
    fixed: "14.17",
  },
  {
    affected: ">=13.0.0 <14.6.0",
    names: "postgrest #4675",
    effect: "hints of errors contain names of tables that the caller cannot read",
    fixed: "14.17",
  },
  {
    affected: ">=13.0.0 <14.13.0",
    names: "postgrest #4955",
    effect: "requests fail if their role sets work_mem, which limits the memory of a query",
    fixed: "14.17",
  },
];

interface Drafts {
  readonly identityProvider: IdentityProviderDraft | undefined;
  readonly gateway: GatewayDraft;
  readonly dataApi: DataApiDraft | undefined;
}

/** Checks that authentik's server and Terraform provider are of one release series, and that no version has a known vulnerability. */
export function versionRules({ identityProvider, gateway, dataApi }: Drafts): Problem[] {
  const found: Problem[] = [];
  const server = identityProvider?.fields.version;
  if (identityProvider !== undefined && server !== undefined) {
    const location = within(identityProvider.location, "version");
    found.push(...problemsAt(location, refused("authentik", server, AUTHENTIK)));
    if (!server.startsWith(`${PROVIDER_SERIES}.`)) {
      const message = `authentik ${server} and the Terraform provider ${PROVIDER_SERIES} are not compatible (terraform-provider-authentik #966)`;
      found.push(
        problem(
          location,
          message,
          `use a ${PROVIDER_SERIES} server, or a Gatehouse for its series (docs/operations/upgrading.md)`,
        ),
      );
    }
  }
  const traefik = gateway.fields.version;
  if (traefik !== undefined) {
    found.push(...problemsAt(within(gateway.location, "version"), advisoriesOfTraefik(traefik)));
  }
  const postgrest = dataApi?.fields.version;
  if (dataApi !== undefined && postgrest !== undefined) {
    const location = within(dataApi.location, "version");
    const full = coerce(postgrest)?.version ?? postgrest;
    found.push(...problemsAt(location, refused("PostgREST", full, POSTGREST)));
  }
  return found;
}

function problemsAt(location: Location, advisories: readonly [message: string, hint: string][]): Problem[] {
  return advisories.map(([message, hint]) => problem(location, message, hint));
}

/** Warns of mitigated vulnerabilities of the stated Traefik, and of a missing version. */
export function versionWarnings({ gateway }: Pick<Drafts, "gateway">): string[] {
  const { version } = gateway.fields;
  if (version === undefined) {
    return [
      "gateway.version: not set, so that it is not checked for known vulnerabilities. Set the version of the running Traefik.",
    ];
  }
  return TRAEFIK_MITIGATED.filter(({ affected }) => satisfies(version, affected)).map(
    ({ names, effect, fixed }) => `gateway.version: Traefik ${version} has ${names} (${effect}). Fixed in ${fixed}.`,
  );
}

/** Returns message and hint for each advisory of a Traefik version that Gatehouse does not mitigate. */
export function advisoriesOfTraefik(version: string): [message: string, hint: string][] {
  return refused("Traefik", version, TRAEFIK_REFUSED);
}

/** Returns message and hint for each advisory of a version. */
function refused(product: string, version: string, advisories: readonly Advisory[]): [string, string][] {
  return advisories
    .filter(({ affected }) => satisfies(version, affected))
    .map(({ names, effect, fixed }) => [`${product} ${version} has ${names}: ${effect}`, `use ${fixed} or newer`]);
}
