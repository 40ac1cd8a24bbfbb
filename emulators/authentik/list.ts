import type { Fields, User } from "./objects.ts";
import { isSuperuser } from "./users.ts";
import { mayView } from "./permissions.ts";
import { ApiError, forbidden } from "./apiError.ts";
import { present } from "./resources.ts";
import type { Resource, Runtime } from "./resources.ts";
import { filterProblems, givenValues } from "./filterValues.ts";
import type { Store } from "./store.ts";
import { compared, listed } from "./write.ts";

const SIZE = { usual: 20, most: 100 };
/**
 * One page of a list for a user. Parameters that the view does not declare are ignored (docs/authentik.md, REST API).
 * @throws ApiError for a filter by an object or a choice that does not exist, and for a page that does not exist
 */
export function page(runtime: Runtime, resource: Resource, user: User, query: URLSearchParams): Fields {
  const isApplications = resource.kind === "application";
  const objects = listed(runtime, resource).filter(
    (object) => isApplications || mayView(runtime.store, user, resource.kind, object),
  );
  // The account of an outpost gets an empty list (docs/authentik.md, REST API).
  if (
    !isApplications &&
    objects.length === 0 &&
    !isSuperuser(runtime.store, user) &&
    user.type !== "internal_service_account"
  )
    throw forbidden();
  const problems = filterProblems(runtime, resource, query);
  if (problems) throw new ApiError(400, problems);
  const visible = objects
    .map((object) => present(runtime, resource, object))
    .filter((object) =>
      resource.filters.every((filter) => passes(runtime.store, object, filter, givenValues(filter, query))),
    )
    .filter((object) => isFound(object, resource, query.get("search") ?? ""));
  const sorted = ordered(visible, query.get("ordering") ?? "");
  const length = lengthOf(query.get("page_size"));
  const current = Number(query.get("page") ?? 1);
  const pages = Math.max(1, Math.ceil(sorted.length / length));
  if (!Number.isInteger(current) || current < 1 || current > pages)
    throw new ApiError(404, { detail: "Invalid page." });
  const results = sorted.slice((current - 1) * length, current * length);
  const start = results.length === 0 ? 0 : (current - 1) * length + 1;
  return {
    pagination: {
      next: current < pages ? current + 1 : 0,
      previous: current - 1,
      count: sorted.length,
      current,
      total_pages: pages,
      start_index: start,
      end_index: start === 0 ? 0 : start + results.length - 1,
    },
    // authentik paginates before it checks access, so a page of applications may be shorter than its count.
    results: isApplications ? accessible(runtime, user, query, results) : results,
    autocomplete: {},
  };
}

/** Returns the applications that the user of the token may open; for a superuser with `superuser_full_list`, all of them. */
function accessible({ store, claims }: Runtime, user: User, query: URLSearchParams, applications: Fields[]): Fields[] {
  if (query.get("superuser_full_list")?.toLowerCase() === "true" && isSuperuser(store, user)) return applications;
  return applications.filter(({ pk }) => {
    const application = store.get("application", pk as string);
    return application && claims.mayAccess(application, user);
  });
}

function lengthOf(text: string | null): number {
  const length = Number(text);
  return Number.isInteger(length) && length > 0 ? Math.min(length, SIZE.most) : SIZE.usual;
}

/** The value that a filter compares, if it is not a field of the response. */
const FILTERED: Record<string, (object: Fields, store: Store) => unknown> = {
  members_by_pk: ({ users }) => users,
  members_by_username: ({ users_obj }) => namesOf(users_obj, "username"),
  groups_by_pk: ({ groups }) => groups,
  groups_by_name: ({ groups_obj }) => namesOf(groups_obj, "name"),
  target_in: ({ target }) => target,
  providers_by_pk: ({ providers }) => providers,
  has_key: ({ private_key_available }) => private_key_available,
  path_startswith: ({ path }) => path,
  flow_uuid: ({ pk }) => pk,
  application: ({ pk }, store) => store.find("application", { provider: pk as number })?.pk,
  user__username: ({ user_obj }) => (user_obj as Fields | null)?.["username"],
};

const namesOf = (objects: unknown, name: string) => ((objects ?? []) as Fields[]).map((object) => object[name]);

function passes(store: Store, object: Fields, filter: string, wanted: string[]): boolean {
  if (wanted.length === 0) return true;
  if (filter === "attributes") return hasAttributes(object, wanted[0] ?? "");
  const [, field = filter, lookup = filter === "path_startswith" ? "startswith" : "exact"] =
    /^(.+)__(iexact|icontains|isnull)$/.exec(filter) ?? [];
  const value = (FILTERED[field] ?? (() => object[field]))(object, store);
  const values = Array.isArray(value) ? value : [value];
  const isEmpty = values.every((one) => one === null || one === undefined);
  if (lookup === "isnull") return isEmpty === (wanted[0]?.toLowerCase() === "true");
  return wanted.some((text) => values.some((one) => matches(one, lookup, text)));
}

function matches(value: unknown, lookup: string, text: string): boolean {
  if (typeof value === "boolean") return String(value) === text.toLowerCase();
  const [own, given] = lookup.startsWith("i")
    ? [String(value).toLowerCase(), text.toLowerCase()]
    : [String(value), text];
  if (lookup === "icontains") return own.includes(given);
  return lookup === "startswith" ? own.startsWith(given) : own === given;
}

function hasAttributes({ attributes }: Fields, text: string): boolean {
  const wanted = Object.entries(JSON.parse(text) as Fields);
  return wanted.every(([name, value]) => (attributes as Fields)[name] === value);
}

/** Every word has to be in one of the fields. */
function isFound(object: Fields, { search }: Resource, text: string): boolean {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  return words.every((word) => search.some((field) => textOf(object[field]).includes(word)));
}

/** Sorted by the fields of `ordering` that the objects have, `-` reverses one. */
function ordered(objects: Fields[], ordering: string): Fields[] {
  const fields = ordering.split(",").filter((name) => objects.some((object) => name.replace(/^-/, "") in object));
  return fields.reduceRight((sorted, name) => {
    const field = name.replace(/^-/, "");
    const sign = name.startsWith("-") ? -1 : 1;
    return sorted.toSorted((a, b) => (a[field] === b[field] ? 0 : sign * compared(a[field], b[field])));
  }, objects);
}

const textOf = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : JSON.stringify(value ?? ""));
