import type { Exposure } from "../infra/plan/exposure.ts";
import { PROTECTIONS, protectionOf } from "./table.ts";

/** The users and machines that an exposure admits. `groups` is empty unless the audience is `groups`. */
export interface AllowedUsers {
  /** `groups`, `signed-in`, or the audience of a protection without groups. */
  readonly audience: string;
  readonly groups: readonly string[];
}

/** Returns the users that an exposure admits. */
export function allowedUsersOf({ protection, groups }: Pick<Exposure, "protection" | "groups">): AllowedUsers {
  const { audience } = protectionOf(protection);
  if (audience) return { audience: audience.name, groups: [] };
  return { audience: groups.length === 0 ? "signed-in" : "groups", groups };
}

/** Returns the users as a sentence names them: `staff and admins`. @param names joins the names of groups */
export function allowedUsersText(
  { audience, groups }: AllowedUsers,
  names: (groups: readonly string[]) => string,
): string {
  if (audience === "groups") return names(groups);
  if (audience === "signed-in") return "everyone who can sign in";
  const own = Object.values(PROTECTIONS).find((protection) => protection.audience?.name === audience);
  return own?.audience?.text ?? audience;
}

/** Returns whether a user or machine in these groups may use an exposure. */
export function isAllowed({ groups: required }: Pick<Exposure, "groups">, groups: readonly string[]): boolean {
  return required.length === 0 || groups.some((group) => required.includes(group));
}

/** Returns whether `outer` admits every user that `inner` admits. */
export function admits(outer: AllowedUsers, inner: AllowedUsers): boolean {
  if (outer.audience === "everyone") return true;
  if (outer.audience === "groups" && inner.audience === "groups") {
    return inner.groups.every((group) => outer.groups.includes(group));
  }
  return outer.audience === inner.audience || (outer.audience === "signed-in" && inner.audience === "groups");
}
