import type { Kind, Outpost, Stored, User } from "./objects.ts";
import { isSuperuser } from "./users.ts";
import type { Store } from "./store.ts";

/** Returns the username of the service account of an outpost. */
export const serviceAccountOf = ({ pk }: Outpost) => `ak-outpost-${pk.replaceAll("-", "")}`;

/** Returns the outpost of a service account. */
function outpostOf(store: Store, user: User): Outpost | undefined {
  return store.list("outpost").find((outpost) => serviceAccountOf(outpost) === user.username);
}

/** Returns whether a user may read an object: a superuser any, a service account its outpost and the providers of it. */
export function mayView(store: Store, user: User, kind: Kind, object: Stored): boolean {
  if (isSuperuser(store, user)) return true;
  const outpost = outpostOf(store, user);
  if (kind === "provider") return outpost?.providers.includes(object.pk as number) ?? false;
  return kind === "outpost" && outpost?.pk === object.pk;
}
