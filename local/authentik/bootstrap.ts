import { selfSigned } from "./certificate.ts";
import type { Fields, Kind, Kinds, User } from "./objects.ts";
import { hashPassword } from "./people.ts";
import { createOf, stockFlows, stockMappings } from "./resources.ts";
import type { World } from "./resources.ts";

export type Bootstrap = { password?: string | undefined; token?: string | undefined; email?: string | undefined };

export const embeddedOutpost = "goauthentik.io/outposts/embedded";

/** Makes what authentik has after its first start. Does nothing on a store that was filled before. */
export function bootstrap(world: World, { password, token, email }: Bootstrap): void {
  const { store } = world;
  if (store.list("flow").length > 0) return;
  const add = <K extends Kind>(kind: K, fields: Fields): Kinds[K] =>
    store.put(kind, { ...createOf(world, kind), ...fields });
  for (const flow of stockFlows) add("flow", { name: flow["title"], ...flow });
  for (const mapping of stockMappings) add("mapping", mapping);
  add("keypair", { name: "authentik Self-signed Certificate", ...selfSigned("authentik") });
  const admins = add("group", { name: "authentik Admins", is_superuser: true });
  const akadmin: Partial<User> = {
    username: "akadmin",
    name: "authentik Default Admin",
    email: email ?? "root@example.com",
    groups: [admins.pk],
    password: password ? hashPassword(password) : "",
  };
  const user = add("user", akadmin).pk;
  if (token) add("token", { identifier: "authentik-bootstrap-token", user, expiring: false, key: token });
  add("outpost", { name: "authentik Embedded Outpost", managed: embeddedOutpost });
  add("stage", { name: "default-authentication-login" });
  add("brand", {
    domain: "authentik-default",
    default: true,
    branding_title: "authentik",
    flow_authentication: store.find("flow", { slug: "default-authentication-flow" })?.pk,
    flow_invalidation: store.find("flow", { slug: "default-invalidation-flow" })?.pk,
  });
}
