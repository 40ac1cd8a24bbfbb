import { createHash, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type { Group, User } from "./objects.ts";
import type { Store } from "./store.ts";

/** The groups of a user, those reached through parents included. */
export function inheritedGroups(store: Store, user: User): Group[] {
  const found = new Map<string, Group>();
  const visit = (id: string) => {
    const group = store.get("group", id);
    if (!group || found.has(id)) return;
    found.set(id, group);
    group.parents.forEach(visit);
  };
  user.groups.forEach(visit);
  return [...found.values()];
}

/** Returns the groups of a user without their parents. */
export function directGroups(store: Store, user: User): Group[] {
  return user.groups.flatMap((id) => store.get("group", id) ?? []);
}

/** Returns whether one of a user's groups, or of their parents, makes superusers. */
export function isSuperuser(store: Store, user: User): boolean {
  return inheritedGroups(store, user).some((group) => group.is_superuser);
}

/** The hashed user id: stable, and not reversible without the secret key. */
export function uidOf(user: User, secretKey: string): string {
  return createHash("sha256").update(`${user.pk}-${secretKey}`).digest("hex");
}

/** The default of Node.js, 16,384, takes 50 ms for each sign-in. */
const COST = 1024;
/** That of hashes without one, which earlier versions stored. */
const EARLIER_COST = "16384";

/** Returns a salted hash, which {@link passwordMatches} compares with. */
export function hashPassword(password: string): string {
  const salt = randomBytes(16).toString("hex");
  return `${salt}:${scryptSync(password, salt, 32, { cost: COST }).toString("hex")}:${COST}`;
}

/** False for a user without a usable password, for an inactive one and for none. */
export function passwordMatches(user: User | undefined, password: string): boolean {
  const [salt, hash, cost = EARLIER_COST] = user?.password.split(":") ?? [];
  if (!user?.is_active || !salt || !hash) return false;
  return timingSafeEqual(scryptSync(password, salt, 32, { cost: Number(cost) }), Buffer.from(hash, "hex"));
}

/** The token of an Authorization header; empty = none. */
export function bearerOf(header: string | undefined): string {
  return /^Bearer (.+)$/i.exec(header ?? "")?.[1] ?? "";
}

/** Whose unexpired token a key is; an inactive user's is none. */
export function tokenOwner(store: Store, key: string, intent: string): User | undefined {
  const token = store.find("token", { key, intent });
  const valid = token && (token.expires === null || Date.parse(token.expires) > Date.now());
  const user = valid ? store.get("user", token.user) : undefined;
  return user?.is_active ? user : undefined;
}
