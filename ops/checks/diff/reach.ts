/** Whom a statement reaches, of those that the configuration itself knows. Pure. */
import type { Statement } from "./diff.ts";
import type { Reach } from "./effects.ts";
import type { Access, HostFacts, MemberFacts } from "../../../infra/access/facts.ts";

const NONE: Reach = { gained: [], lost: [] };

export function reachOf(statement: Statement, before: Access, after: Access): Reach {
  const { about, id } = statement;
  if (about === "host" && (statement.change !== "changed" || statement.field === "entrants")) {
    return difference(membersOf(id, before), membersOf(id, after));
  }
  if (about === "member") return difference(urlsOf(before.member.get(id), before), urlsOf(after.member.get(id), after));
  return NONE;
}

/** Who may enter a host. */
function membersOf(host: string, access: Access): string[] {
  const facts = access.host.get(host);
  const all = [...access.member].flatMap(([name, member]) => (facts && mayEnter(member, facts) ? [name] : []));
  return all.sort();
}

/** Returns the URLs that a member can access. */
function urlsOf(member: MemberFacts | undefined, access: Access): string[] {
  const all = [...access.host.values()].flatMap((facts) => (member && mayEnter(member, facts) ? [facts.url] : []));
  return all.sort();
}

/** By being who they are: what is open to everyone, or to a password, is not counted. */
function mayEnter({ groups }: MemberFacts, { entrants }: HostFacts): boolean {
  if (entrants.audience === "groups") return groups.some((group) => entrants.groups.includes(group));
  return entrants.audience === "signed-in";
}

function difference(before: readonly string[], after: readonly string[]): Reach {
  return {
    gained: after.filter((item) => !before.includes(item)),
    lost: before.filter((item) => !after.includes(item)),
  };
}
