/** The rule that each host is used once. */
import { enabledKinds } from "./domainKinds.ts";
import { type Location, within } from "./location.ts";
import { type Problem, problem } from "./problems.ts";
import type { Drafts as SectionDrafts } from "./sections.ts";
import type { Domain, IdentityProvider, TestEnvironments } from "./settings.ts";

interface Drafts extends SectionDrafts {
  readonly settings: readonly Domain[];
}

/** An entry that uses `<label>.<base domain>` on each of its domains. */
interface Claim {
  readonly label: string;
  readonly kinds: readonly string[];
  /** Name of the entry in messages. */
  readonly owner: string;
  readonly location: Location;
  /** Use of the host, where the location does not state it. */
  readonly purpose: string;
  readonly hint: string;
}

/**
 * Returns a problem for every host that is used twice or is too long. Built-in hosts come first, then the test environments, then the list in its
 * order; an entry also may not have the name of one of those, since routes and exposures are named alike.
 */
export function hostRules(drafts: Drafts, testEnvironments: TestEnvironments): Problem[] {
  const domains = drafts.settings.filter(({ enabled, baseDomain }) => enabled && baseDomain !== "");
  const owners = new Map<string, string>();
  const reserved = [...builtIns(drafts, testEnvironments), ...testHosts(drafts, testEnvironments)];
  const found = reserved.flatMap((claim) => claimHosts(claim, domains, owners));
  const names = new Map(reserved.map(({ label, owner }) => [label, owner]));
  for (const claim of services(drafts)) {
    const collisions = claimHosts(claim, domains, owners);
    const owner = names.get(claim.label);
    if (collisions.length === 0 && owner !== undefined) {
      collisions.push(problem(claim.location, `name "${claim.label}" is already used by ${owner}`, claim.hint));
    }
    found.push(...collisions);
  }
  return found;
}

function builtIns({ settings, identityProvider, dataApi }: Drafts, testEnvironments: TestEnvironments): Claim[] {
  const claims: Claim[] = [];
  const add = (label: string, named: "auto" | readonly string[], owner: string, location: Location) =>
    claims.push({
      label,
      kinds: enabledKinds(named, settings),
      owner,
      location,
      purpose: "",
      hint: "give it another host",
    });
  const test = { path: "test_environments" };
  if (testEnvironments.enabled) add("whoami-public", ["localhost"], "the open test host", test);
  if (identityProvider?.fields.host !== undefined && isInCluster(identityProvider.fields)) {
    add(identityProvider.fields.host, "auto", "the identity provider", identityProvider.location);
  }
  if (dataApi) {
    const { host, domains = [], catalog = false } = dataApi.fields;
    if (host !== undefined) add(host, domains, "the data API", dataApi.location);
    if (catalog) add(catalog.host, domains, "the catalog", within(dataApi.location, "catalog"));
  }
  return claims;
}

/** Whether the stack routes to the identity provider: it is installed, or has a Service in the cluster. */
export function isInCluster({ install, service }: Partial<Pick<IdentityProvider, "install" | "service">>): boolean {
  return install !== false || service !== undefined;
}

/** `whoami-<app>.localhost` (spec 000, "Test environments per application"). */
function testHosts(drafts: Drafts, testEnvironments: TestEnvironments): Claim[] {
  const kinds = enabledKinds(["localhost"], drafts.settings);
  if (!testEnvironments.enabled || kinds.length === 0) return [];
  return services(drafts).map(({ label, location }) => ({
    label: `whoami-${label}`,
    kinds,
    owner: `the test environment of "${label}"`,
    location,
    purpose: "its test environment's ",
    hint: "rename the service, or set test_environments: { enabled: false }",
  }));
}

/** One claim per name: a name that is defined twice has a problem of its own. */
function services(drafts: Drafts): Claim[] {
  const claims = new Map<string, Claim>();
  for (const { location, fields } of drafts.services) {
    const { name } = fields;
    if (name === undefined || claims.has(name)) continue;
    const kinds = enabledKinds(fields.domains ?? [], drafts.settings);
    claims.set(name, {
      label: name,
      kinds,
      owner: `"${name}"`,
      location,
      purpose: "",
      hint: "give each service its own host",
    });
  }
  return [...claims.values()];
}

/** Claims the hosts of each domain; returns at most one problem per other owner. */
function claimHosts(claim: Claim, domains: readonly Domain[], owners: Map<string, string>): Problem[] {
  const found = new Map<string, Problem>();
  for (const { kind, baseDomain } of domains) {
    if (!claim.kinds.includes(kind)) continue;
    const host = `${claim.label}.${baseDomain}`;
    const owner = owners.get(host);
    const report = (about: string, message: string, hint = claim.hint) =>
      found.has(about) || found.set(about, problem(claim.location, `${claim.purpose}host "${host}" ${message}`, hint));
    if (claim.label.length > 63) report("length", "has a label of more than 63 characters");
    else if (host.length > 253) report("length", "is longer than 253 characters", "use a shorter name or base domain");
    if (owner === undefined) owners.set(host, claim.owner);
    // Two domains with one base domain are a problem of the domains.
    else if (owner !== claim.owner) report(owner, `is already used by ${owner}`);
  }
  return [...found.values()];
}
