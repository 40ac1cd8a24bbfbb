import type { AuthentikApi } from "./authentikApi.ts";

/**
 * Creates a group, or keeps the one of that name. It is not a resource of the stack, because its deletion would take memberships and bindings
 * of others along, and applications without a binding admit every user (measured, docs/authentik.md).
 */
export async function createIfMissing(api: AuthentikApi, name: string): Promise<void> {
  const found = await api.all<{ name: string }>("/core/groups/", { name, include_users: "false" });
  if (!found.some((group) => group.name === name)) await api.post("/core/groups/", { name });
}
