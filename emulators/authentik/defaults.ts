import { createHash } from "node:crypto";
import { recordApplied } from "./blueprintInstances.ts";
import { selfSigned } from "./certificate.ts";
import { isEmail } from "./formats.ts";
import { EMBEDDED_OUTPOST, read } from "./objects.ts";
import type { Fields, Kind, Kinds } from "./objects.ts";
import { hashPassword } from "./users.ts";
import { createOf, settleOutpost } from "./resources.ts";
import type { Runtime } from "./resources.ts";

/** The settings of the first user: AUTHENTIK_BOOTSTRAP_*. */
export type Bootstrap = { password?: string | undefined; token?: string | undefined; email?: string | undefined };

type Default = {
  path: string;
  /** Name of its blueprint instance; undefined for a task that is not a blueprint. */
  name?: string;
  requires?: string[];
  flows?: Fields[];
  mappings?: Fields[];
  stages?: Fields[];
};

export const defaults = read<Default[]>("defaults.yaml");

/** Creates one of the default objects. Does nothing if it was created before, even if it was deleted since. */
export function createDefault(runtime: Runtime, path: string, bootstrap: Bootstrap): void {
  for (const { path, name } of defaults) if (name) instanceOf(runtime, path, name);
  apply(runtime, path, bootstrap);
}

function apply(runtime: Runtime, path: string, bootstrap: Bootstrap): void {
  const found = defaults.find((one) => one.path === path);
  if (!found) throw new Error(`no default ${path}`);
  const { name, requires = [], flows = [], mappings = [], stages = [] } = found;
  const instance = name ? instanceOf(runtime, path, name) : undefined;
  if (instance && instance.last_applied_hash !== "") return;
  for (const other of requires) apply(runtime, other, bootstrap);
  for (const flow of flows) add(runtime, "flow", { name: flow["title"], ...flow });
  for (const mapping of mappings) add(runtime, "mapping", mapping);
  for (const stage of stages) add(runtime, "stage", stage);
  special[path]?.(runtime, bootstrap);
  if (instance)
    recordApplied(runtime, instance, createHash("sha512").update(JSON.stringify(found)).digest("hex"), { name });
}

const special: Record<string, (runtime: Runtime, bootstrap: Bootstrap) => void> = {
  "system/bootstrap.yaml": addAdministrator,
  "crypto/self-signed": (runtime) => {
    const name = "authentik Self-signed Certificate";
    if (!runtime.store.find("keypair", { name })) add(runtime, "keypair", { name, ...selfSigned("authentik") });
  },
  "outposts/embedded": (runtime) => {
    if (runtime.store.find("outpost", { managed: EMBEDDED_OUTPOST })) return;
    settleOutpost(runtime, add(runtime, "outpost", { name: "authentik Embedded Outpost", managed: EMBEDDED_OUTPOST }));
  },
};

/** @throws Error for an address that the serializer refuses: authentik then creates no administrator */
function addAdministrator(runtime: Runtime, { password, token, email }: Bootstrap): void {
  if (email !== undefined && !isEmail(email)) throw new Error("email: Enter a valid email address.");
  const admins = add(runtime, "group", { name: "authentik Admins", is_superuser: true });
  const user = add(runtime, "user", {
    username: "akadmin",
    name: "authentik Default Admin",
    email: email ?? "root@example.com",
    groups: [admins.pk],
    password: password ? hashPassword(password) : "",
  });
  const identifier = "authentik-bootstrap-token";
  if (token) add(runtime, "token", { identifier, user: user.pk, expiring: false, key: token });
}

function instanceOf({ store, ...rest }: Runtime, path: string, name: string) {
  const known = store.find("blueprint", { path });
  return known ?? store.put("blueprint", { ...createOf({ store, ...rest }, "blueprint"), path, name });
}

function add<K extends Kind>(runtime: Runtime, kind: K, fields: Fields): Kinds[K] {
  return runtime.store.put(kind, { ...createOf(runtime, kind), ...fields });
}
