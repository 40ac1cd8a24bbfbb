import { readable } from "../prerequisites/readable.ts";
import { type AuthentikApi, withAuthentik } from "./authentikApi.ts";

/**
 * Creates a group, or keeps the one of that name. It is not a resource of the stack, because its deletion would take memberships and bindings
 * of others along, and applications without a binding admit every user (measured, docs/authentik.md).
 */
export async function createIfMissing(api: AuthentikApi, name: string): Promise<void> {
  if ((await idOf(api, name)) === undefined) await api.post("/core/groups/", { name });
}

/**
 * Returns the id of a group; undefined if authentik has none of that name, or does not show it to the token's user.
 * @param url origin of the server, without `/api/v3`
 * @param token API token; never part of an error
 * @throws as {@link AuthentikApi.all} does
 */
export function groupId(url: string, token: string, name: string): Promise<string | undefined> {
  return withAuthentik(url, token, (api) => readable(idOf(api, name), [403]));
}

async function idOf(api: AuthentikApi, name: string): Promise<string | undefined> {
  const found = await api.all<{ pk: string; name: string }>("/core/groups/", { name, include_users: "false" });
  return found.find((group) => group.name === name)?.pk;
}
