import { faults, writable } from "./description.ts";
import { references } from "./objects.ts";
import type { Fields, Kind, Outpost, Stored } from "./objects.ts";
import { create, resources, serviceAccountOf, settle } from "./resources.ts";
import type { Resource, World } from "./resources.ts";

/** An answer that is not a success; the body is what authentik would say. */
export class Refusal extends Error {
  readonly status: 400 | 403 | 404;
  readonly body: Fields;
  constructor(status: 400 | 403 | 404, body: Fields) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

/**
 * Creates (no `current`) or changes an object. Fields that the body leaves out keep their value, in PUT too: the real client never
 * sends false or empty ones. Throws a Refusal (400) for a body against the description, a dangling reference or a duplicate.
 */
export function save(
  world: World,
  resource: Resource,
  current: Stored | undefined,
  body: Fields,
  partial = false,
): Stored {
  const { schema, kind } = resource;
  const wrong = faults(`${partial ? "Patched" : ""}${schema}Request`, body) ?? dangling(world, kind, body);
  if (wrong) throw new Refusal(400, wrong);
  refuseDuplicates(world, resource, current, body);
  const object = { ...(current ?? create(world, resource)), ...writable(schema, body) };
  try {
    return world.store.put(kind, settle(world, resource, object));
  } catch (error) {
    throw new Refusal(400, { non_field_errors: [(error as Error).message] });
  }
}

/** Deletes an object with what depends on it; an outpost takes its service account along. */
export function remove({ store }: World, { kind }: Resource, object: Stored): void {
  store.remove(kind, object.pk);
  const account =
    kind === "outpost" ? store.find("user", { username: serviceAccountOf(object as Outpost) }) : undefined;
  if (account) store.remove("user", account.pk);
}

/** The objects of a resource, in the order in which authentik lists them. */
export function listed({ store }: World, resource: Resource): Stored[] {
  const names = ["slug", "scope_name", "username", "name", "domain", "pk"];
  const order = (object: Stored) => String(object[names.find((name) => name in object) ?? "pk"]);
  return (store.list(resource.kind) as Stored[])
    .filter((object) => isOf(resource, object))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Whether an object of the resource's kind belongs to it. */
export function isOf({ where = {} }: Resource, object: Stored): boolean {
  return Object.entries(where).every(([name, value]) => object[name] === value);
}

/** Throws for a model that the double does not have. */
export function resourceOfModel(model: string): Resource {
  const resource = resources.find((candidate) => candidate.model === model);
  if (!resource) throw new Error(`unknown model ${model}`);
  return resource;
}

function dangling({ store }: World, kind: Kind, body: Fields): Record<string, string[]> | undefined {
  for (const [field, target] of Object.entries(references[kind] ?? {})) {
    const ids = [body[field] ?? []].flat() as (string | number)[];
    const unknown = ids.find((id) => !store.get(target, id));
    if (unknown !== undefined) return { [field]: [`Invalid pk "${unknown}" - object does not exist.`] };
  }
  return undefined;
}

function refuseDuplicates(world: World, { kind, unique }: Resource, current: Stored | undefined, body: Fields): void {
  for (const field of unique) {
    const same = (world.store.list(kind) as Stored[]).find(
      (object) => body[field] !== undefined && object[field] === body[field] && object.pk !== current?.pk,
    );
    if (same) throw new Refusal(400, { [field]: [`${kind} with this ${field} already exists.`] });
  }
}
