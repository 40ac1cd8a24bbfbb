/** Which users and machines of the configuration a statement is about. Pure. */
import type { AccessFacts, HostFacts, MemberFacts } from "../../../infra/access/facts.ts";
import type { Change } from "./entry.ts";
import { type Difference, difference } from "./phrases.ts";

/**
 * Returns the members that a change of a host admits or denies, or the URLs that a member gains or loses; nothing for any other change.
 * @param before the facts that the change is compared with
 */
export function accessChange(
  { about, id, field }: Pick<Change, "about" | "id" | "field">,
  before: AccessFacts,
  after: AccessFacts,
): Difference {
  if (about === "host" && (field ?? "allowedUsers") === "allowedUsers")
    return difference(membersOf(id, before), membersOf(id, after));
  return about === "member" ? difference(urlsOf(id, before), urlsOf(id, after)) : difference([], []);
}

function membersOf(host: string, { host: hosts, member }: AccessFacts): string[] {
  const facts = hosts.get(host);
  return [...member].flatMap(([name, one]) => (facts && admits(facts, one) ? [name] : [])).sort();
}

function urlsOf(name: string, { host, member }: AccessFacts): string[] {
  const facts = member.get(name);
  return [...host.values()].flatMap((one) => (facts && admits(one, facts) ? [one.url] : [])).sort();
}

/** Returns whether a host admits a user by identity: what is open to everyone, or to a password, does not count. */
function admits({ allowedUsers }: HostFacts, { groups }: MemberFacts): boolean {
  if (allowedUsers.audience === "groups") return groups.some((group) => allowedUsers.groups.includes(group));
  return allowedUsers.audience === "signed-in";
}
