import type { Kind, Outpost, Stored, User } from "./objects.ts";
import { isSuperuser } from "./users.ts";
import type { Store } from "./store.ts";

/** Name of the user as which an outpost's process comes. */
export const serviceAccountOf = ({ pk }: Outpost) => `ak-outpost-${pk.replaceAll("-", "")}`;

/** The outpost whose service account a user is. */
export function outpostOf(store: Store, user: User): Outpost | undefined {
  return store.list("outpost").find((outpost) => serviceAccountOf(outpost) === user.username);
}

/** Whether a user may read an object: a superuser all, an outpost's service account its outpost and the providers of that. */
export function mayView(store: Store, user: User, kind: Kind, object: Stored): boolean {
  if (isSuperuser(store, user)) return true;
  const outpost = outpostOf(store, user);
  if (kind === "provider") return outpost?.providers.includes(object.pk as number) ?? false;
  return kind === "outpost" && outpost?.pk === object.pk;
}
