import { X509Certificate } from "node:crypto";
import { faults, writable } from "./description.ts";
import { references } from "./objects.ts";
import type { Fields, Kind, Stored } from "./objects.ts";
import { create, resources, settle } from "./resources.ts";
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
  if (kind === "keypair") refuseUnreadable(body);
  const object = { ...(current ?? create(world, resource)), ...writable(schema, body) };
  return world.store.put(kind, settle(world, resource, object));
}

/** The objects of a resource, in the order in which authentik lists them. */
export function listed({ store }: World, { kind, where = {} }: Resource): Stored[] {
  const names = ["slug", "scope_name", "username", "name", "domain", "pk"];
  const order = (object: Stored) => String(object[names.find((name) => name in object) ?? "pk"]);
  return (store.list(kind) as Stored[])
    .filter((object) => Object.entries(where).every(([name, value]) => object[name] === value))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

export function resourceOfModel(model: unknown): Resource | undefined {
  return resources.find((resource) => resource.model === model);
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

function refuseUnreadable({ certificate_data }: Fields): void {
  if (certificate_data === undefined) return;
  try {
    new X509Certificate(certificate_data as string);
  } catch {
    throw new Refusal(400, { certificate_data: ["Unable to load certificate."] });
  }
}
