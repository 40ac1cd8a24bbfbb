import { readable } from "../prerequisites/readable.ts";
import { type AuthentikApi, withAuthentik } from "./authentikApi.ts";

/** A group of authentik. */
export interface Group {
  readonly id: string;
  /** Whether its members are superusers. */
  readonly superusers: boolean;
}

/**
 * Creates a group, or keeps the one of that name. It is not a resource of the stack, because its deletion would take memberships and bindings
 * of others along, and applications without a binding admit every user (measured, docs/authentik.md).
 */
export async function createIfMissing(api: AuthentikApi, name: string): Promise<void> {
  if ((await find(api, name)) === undefined) await api.post("/core/groups/", { name });
}

/**
 * Returns a group; undefined if authentik has none of that name, or does not show it to the token's user.
 * @param url origin of the server, without `/api/v3`
 * @param token API token; never part of an error
 * @throws as {@link AuthentikApi.all} does
 */
export function findGroup(url: string, token: string, name: string): Promise<Group | undefined> {
  return withAuthentik(url, token, (api) => readable(find(api, name), [403]));
}

interface GroupRecord {
  readonly pk: string;
  readonly name: string;
  readonly is_superuser?: boolean;
}

async function find(api: AuthentikApi, name: string): Promise<Group | undefined> {
  const found = await api.all<GroupRecord>("/core/groups/", { name, include_users: "false" });
  const group = found.find((one) => one.name === name);
  return group && { id: group.pk, superusers: group.is_superuser === true };
}
