import { problemsOf, trimmed, writable } from "./description.ts";
import { references } from "./objects.ts";
import type { Fields, Kind, Kinds, Outpost, Stored } from "./objects.ts";
import { serviceAccountOf } from "./permissions.ts";
import { ApiError } from "./apiError.ts";
import { create, resources, saved, settle } from "./resources.ts";
import type { Resource, Runtime } from "./resources.ts";
import { validate } from "./validation.ts";

/**
 * Creates (no `current`) or changes an object. Fields that the body leaves out keep their value, in PUT too: the real client never
 * sends false or empty ones.
 * @param validateMore throws an ApiError for further rules of the resource
 * @throws ApiError (400) for a body that does not fit the API schema, a reference to a missing object or a duplicate
 */
export function save(
  runtime: Runtime,
  resource: Resource,
  current: Stored | undefined,
  given: Fields,
  partial = false,
  validateMore?: (body: Fields) => void,
): Stored {
  const { schema, kind } = resource;
  const body = trimmed(schema, given);
  const wrong = problemsOf(`${partial ? "Patched" : ""}${schema}Request`, body) ?? dangling(runtime, kind, body);
  if (wrong) throw new ApiError(400, wrong);
  refuseDuplicates(runtime, resource, current, body);
  validate(runtime, resource, current, body);
  validateMore?.(body);
  const object = { ...(current ?? create(runtime, resource)), ...writable(schema, body) };
  const settled = settledOrRefused(runtime, resource, object);
  const result = runtime.store.put(kind, settled as Kinds[Kind]);
  saved(runtime, result, kind);
  return result;
}

function settledOrRefused(runtime: Runtime, resource: Resource, object: Stored): Stored {
  try {
    return settle(runtime, resource, object);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(400, { non_field_errors: [(error as Error).message] });
  }
}

/** Deletes an object with what depends on it; an outpost takes its service account along. */
export function remove({ store }: Runtime, { kind }: Resource, object: Stored): void {
  store.remove(kind, object.pk);
  const account =
    kind === "outpost" ? store.find("user", { username: serviceAccountOf(object as Outpost) }) : undefined;
  if (account) store.remove("user", account.pk);
}

/** The objects of a resource, in the order in which authentik lists them. */
export function listed({ store }: Runtime, resource: Resource): Stored[] {
  return (store.list(resource.kind) as Stored[])
    .filter((object) => isOf(resource, object))
    .sort((a, b) => compared(a[resource.ordering], b[resource.ordering]));
}

/** Whether an object of the resource's kind belongs to it. */
export function isOf({ where = {} }: Resource, object: Stored): boolean {
  return Object.entries(where).every(([name, value]) => object[name] === value);
}

/** Numbers by size, all else as text. */
export function compared(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}

/** @throws Error for a model that the emulator does not have */
export function resourceOfModel(model: string): Resource {
  const resource = resources.find((candidate) => candidate.model === model);
  if (!resource) throw new Error("App or Model does not exist");
  return resource;
}

/** Returns the problem of a field that refers to a missing object. */
export function dangling({ store }: Runtime, kind: Kind, body: Fields): Record<string, string[]> | undefined {
  for (const [field, target] of Object.entries(references[kind] ?? {})) {
    const ids = [body[field] ?? []].flat() as (string | number)[];
    const unknown = ids.find((id) => !store.get(target, id));
    if (unknown !== undefined) return { [field]: [`Invalid pk "${unknown}" - object does not exist.`] };
  }
  return undefined;
}

function refuseDuplicates(
  runtime: Runtime,
  { kind, unique, together = [] }: Resource,
  current: Stored | undefined,
  body: Fields,
): void {
  const others = (runtime.store.list(kind) as Stored[]).filter(({ pk }) => pk !== current?.pk);
  const fields: Fields = { ...current, ...body };
  // As in SQL, null differs from null.
  const isSame = (object: Stored, field: string, value: unknown) => (value ?? null) !== null && object[field] === value;
  const taken = unique.filter((field) => others.some((object) => isSame(object, field, body[field])));
  const message = (field: string) => `${LABELS[`${kind}.${field}`] ?? `${kind} with this ${field}`} already exists.`;
  if (taken.length > 0) throw new ApiError(400, Object.fromEntries(taken.map((field) => [field, [message(field)]])));
  if (together.length > 0 && others.some((object) => together.every((field) => isSame(object, field, fields[field])))) {
    throw new ApiError(400, { non_field_errors: [`The fields ${together.join(", ")} must make a unique set.`] });
  }
}

/** authentik's names where they are not those of the kind and the field. */
const LABELS: Record<string, string> = {
  "application.provider": "Application with this provider",
  "application.slug": "Application with this slug",
  "group.name": "Group with this name",
  "provider.client_id": "OAuth2/OpenID Provider with this Client ID",
};
