/** Checks that each host is used once. */
import { type HostConflict, hostConflicts, type HostLabel, hostLabels } from "../../infra/plan/hosts.ts";
import { enabledKinds } from "../sections/domains/domainKinds.ts";
import { type Location, within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { Drafts as SectionDrafts } from "../sections/sections.ts";
import type { Domain } from "../sections/domains/domains.ts";
import type { TestEnvironments } from "../sections/testEnvironments.ts";

interface Drafts extends SectionDrafts {
  readonly settings: readonly Domain[];
}

/**
 * Returns a problem for every host that is used twice or is too long.
 * @param url of an existing identity provider
 */
export function hostRules(drafts: Drafts, testEnvironments: TestEnvironments, url: string | undefined): Problem[] {
  const { settings: domains, identityProvider, dataApi } = drafts;
  // A name that is used twice has a separate problem.
  const entries = new Map(drafts.services.toReversed().map((draft) => [draft.fields.name, draft]));
  const services = [...entries].toReversed().flatMap(([name, { fields }]) => {
    return name === undefined ? [] : [{ name, domains: enabledKinds(fields.domains ?? [], domains) }];
  });
  const labels = hostLabels({
    domains,
    services,
    testEnvironments,
    identityProvider: identityProvider?.fields,
    dataApi: dataApi && {
      host: dataApi.fields.host,
      domains: enabledKinds(dataApi.fields.domains ?? [], domains),
      catalog: dataApi.fields.catalog || undefined,
    },
  });
  const locationOf = ({ role, entry }: HostLabel): Location => {
    if (entry !== undefined) return entries.get(entry)?.location ?? { path: "protected_services" };
    if (role === "identity-provider") return identityProvider?.location ?? { path: "identity_provider" };
    if (role === "test") return { path: "test_environments" };
    return role === "catalog" ? within({ path: "data_api" }, "catalog") : { path: "data_api" };
  };
  return hostConflicts(labels, domains, url).map((conflict) => toProblem(conflict, locationOf(conflict.label)));
}

function toProblem({ label, host, reason }: HostConflict, location: Location): Problem {
  const purpose = label.role === "test" && label.entry !== undefined ? "its test environment's " : "";
  const subject = host === undefined ? `name "${label.label}"` : `${purpose}host "${host}"`;
  if (reason === "host") {
    return problem(location, `${subject} is longer than 253 characters`, "use a shorter name or base domain");
  }
  return problem(location, `${subject} ${messageOf(reason)}`, hintOf(label));
}

function messageOf(reason: Exclude<HostConflict["reason"], "host">): string {
  if (reason === "label") return "has a label of more than 63 characters";
  if (reason === "url") return "is that of identity_provider.url";
  if (reason === "target") return "is the target of its own domain's records";
  return `is already used by ${ownerName(reason)}`;
}

const ADDED = {
  test: "the open test host",
  "identity-provider": "the identity provider",
  "data-api": "the data API",
  catalog: "the catalog",
};

function ownerName({ role, entry }: HostLabel): string {
  if (role === "service") return `"${entry}"`;
  return entry === undefined ? ADDED[role] : `the test environment of "${entry}"`;
}

function hintOf({ role, entry }: HostLabel): string {
  if (role === "service") return "give each service its own host";
  if (entry === undefined) return "give it another host";
  return "rename the service, or set test_environments: { enabled: false }";
}
