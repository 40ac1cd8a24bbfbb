import { PAGE, results, type Send } from "./serverApi.ts";

/**
 * Creates a group, or keeps the one of that name. It is no resource of the stack, because its deletion would take memberships and bindings
 * of others along, and applications without a binding admit every user (measured, docs/authentik.md).
 */
export async function createIfMissing(send: Send, name: string): Promise<void> {
  const query = new URLSearchParams({ name, include_users: "false" });
  const found = await results<{ name: string }>(send, `/core/groups/?${query.toString()}&${PAGE}`);
  if (!found.some((group) => group.name === name)) await send("/core/groups/", "POST", { name });
}
