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

function dangling({ store }: Runtime, kind: Kind, body: Fields): Record<string, string[]> | undefined {
  for (const [field, target] of Object.entries(references[kind] ?? {})) {
    const ids = [body[field] ?? []].flat() as (string | number)[];
    const unknown = ids.find((id) => !store.get(target, id));
    if (unknown !== undefined) return { [field]: [`Invalid pk "${unknown}" - object does not exist.`] };
  }
  return undefined;
}

function refuseDuplicates(
  runtime: Runtime,
  { kind, unique }: Resource,
  current: Stored | undefined,
  body: Fields,
): void {
  const isTaken = (field: string) =>
    (runtime.store.list(kind) as Stored[]).some(
      (object) => (body[field] ?? null) !== null && object[field] === body[field] && object.pk !== current?.pk,
    );
  const taken = unique.filter(isTaken);
  if (kind === "binding" && isBound(runtime, current, body)) {
    const message = "The fields policy, target, order must make a unique set.";
    throw new ApiError(400, { non_field_errors: [message] });
  }
  if (taken.length === 0) return;
  const message = (field: string) => `${LABELS[`${kind}.${field}`] ?? `${kind} with this ${field}`} already exists.`;
  throw new ApiError(400, Object.fromEntries(taken.map((field) => [field, [message(field)]])));
}

/** Whether a policy is bound to a target with the same order (`PolicyBinding.Meta.unique_together`); null differs from null, as in SQL. */
function isBound({ store }: Runtime, current: Stored | undefined, body: Fields): boolean {
  const { policy, target, order } = { ...current, ...body } as Fields;
  return (store.list("binding") as Stored[]).some(
    (one) =>
      (policy ?? null) !== null &&
      one["policy"] === policy &&
      one["target"] === target &&
      one["order"] === order &&
      one.pk !== current?.pk,
  );
}

/** authentik's names where they are not those of the kind and the field. */
const LABELS: Record<string, string> = {
  "application.provider": "Application with this provider",
  "application.slug": "Application with this slug",
  "group.name": "Group with this name",
  "provider.client_id": "OAuth2/OpenID Provider with this Client ID",
};
