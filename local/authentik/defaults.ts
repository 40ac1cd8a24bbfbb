import { createHash } from "node:crypto";
import { noteSuccess } from "./blueprint-instances.ts";
import { selfSigned } from "./certificate.ts";
import { embeddedOutpost, read } from "./objects.ts";
import type { Fields, Kind, Kinds } from "./objects.ts";
import { hashPassword } from "./people.ts";
import { createOf, settleOutpost } from "./resources.ts";
import type { World } from "./resources.ts";

/** What the worker's environment gives to the first user: AUTHENTIK_BOOTSTRAP_*. */
export type Bootstrap = { password?: string | undefined; token?: string | undefined; email?: string | undefined };

type Default = {
  path: string;
  /** Of its blueprint instance; without one it is a task that is no blueprint. */
  name?: string;
  requires?: string[];
  flows?: Fields[];
  mappings?: Fields[];
  stages?: Fields[];
};

export const defaults = read<Default[]>("defaults.yaml");

/** Makes one of the defaults. Does nothing when it was made before, even if it was deleted since. */
export function createDefault(world: World, path: string, bootstrap: Bootstrap): void {
  for (const { path, name } of defaults) if (name) instanceOf(world, path, name);
  apply(world, path, bootstrap);
}

/** All of them at once, as no authentik does: for tests of other things. */
export function createDefaults(world: World, bootstrap: Bootstrap): void {
  for (const { path } of defaults) createDefault(world, path, bootstrap);
}

function apply(world: World, path: string, bootstrap: Bootstrap): void {
  const found = defaults.find((one) => one.path === path);
  if (!found) throw new Error(`no default ${path}`);
  const { name, requires = [], flows = [], mappings = [], stages = [] } = found;
  const instance = name ? instanceOf(world, path, name) : undefined;
  if (instance && instance.last_applied_hash !== "") return;
  for (const other of requires) apply(world, other, bootstrap);
  for (const flow of flows) add(world, "flow", { name: flow["title"], ...flow });
  for (const mapping of mappings) add(world, "mapping", mapping);
  for (const stage of stages) add(world, "stage", stage);
  special[path]?.(world, bootstrap);
  if (instance)
    noteSuccess(world, instance, createHash("sha512").update(JSON.stringify(found)).digest("hex"), { name });
}

const special: Record<string, (world: World, bootstrap: Bootstrap) => void> = {
  "system/bootstrap.yaml": addAdministrator,
  "crypto/self-signed": (world) => {
    const name = "authentik Self-signed Certificate";
    if (!world.store.find("keypair", { name })) add(world, "keypair", { name, ...selfSigned("authentik") });
  },
  "outposts/embedded": (world) => {
    if (world.store.find("outpost", { managed: embeddedOutpost })) return;
    settleOutpost(world, add(world, "outpost", { name: "authentik Embedded Outpost", managed: embeddedOutpost }));
  },
  "default/default-brand.yaml": (world) => {
    const flow = (slug: string) => world.store.find("flow", { slug })?.pk;
    add(world, "brand", {
      domain: "authentik-default",
      default: true,
      branding_title: "authentik",
      flow_authentication: flow("default-authentication-flow"),
      flow_invalidation: flow("default-invalidation-flow"),
    });
  },
};

function addAdministrator(world: World, { password, token, email }: Bootstrap): void {
  const admins = add(world, "group", { name: "authentik Admins", is_superuser: true });
  const user = add(world, "user", {
    username: "akadmin",
    name: "authentik Default Admin",
    email: email ?? "root@example.com",
    groups: [admins.pk],
    password: password ? hashPassword(password) : "",
  });
  const identifier = "authentik-bootstrap-token";
  if (token) add(world, "token", { identifier, user: user.pk, expiring: false, key: token });
}

function instanceOf({ store, ...rest }: World, path: string, name: string) {
  const known = store.find("blueprint", { path });
  return known ?? store.put("blueprint", { ...createOf({ store, ...rest }, "blueprint"), path, name });
}

function add<K extends Kind>(world: World, kind: K, fields: Fields): Kinds[K] {
  return world.store.put(kind, { ...createOf(world, kind), ...fields });
}
