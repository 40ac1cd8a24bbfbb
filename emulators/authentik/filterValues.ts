import { choicesOf } from "./description.ts";
import type { Fields, Kind } from "./objects.ts";
import type { Resource, Runtime } from "./resources.ts";
import { listed } from "./write.ts";

/** A filter whose value is a field of an existing object, of one of these kinds. Default: its id */
interface Reference {
  readonly kinds: readonly Kind[];
  readonly field?: string;
}

/** Filters that name objects (`ModelChoiceFilter`, `ModelMultipleChoiceFilter`). */
const REFERENCES: Readonly<Record<string, Reference>> = {
  target: { kinds: ["application", "flow"] },
  target_in: { kinds: ["application", "flow"] },
  policy: { kinds: ["policy"] },
  authorization_flow: { kinds: ["flow"] },
  property_mappings: { kinds: ["mapping"] },
  signing_key: { kinds: ["keypair"] },
  application: { kinds: ["application"] },
  members_by_pk: { kinds: ["user"] },
  members_by_username: { kinds: ["user"], field: "username" },
  groups_by_pk: { kinds: ["group"] },
  groups_by_name: { kinds: ["group"], field: "name" },
  providers_by_pk: { kinds: ["provider"] },
};
/** Filters that take several values; of all others the last value counts. */
export const SEVERAL = [
  "managed",
  "type",
  "key_type",
  "property_mappings",
  "groups_by_name",
  "groups_by_pk",
  "members_by_pk",
  "members_by_username",
  "providers_by_pk",
  "target_in",
];
const NUMBERS = ["order", "timeout"];
const UUIDS = ["uuid", "flow_uuid"];
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Returns the values of a filter that count, without empty ones. */
export function givenValues(filter: string, query: URLSearchParams): string[] {
  const given = query.getAll(filter);
  return (SEVERAL.includes(filter) ? given : given.slice(-1)).filter((text) => text !== "");
}

/**
 * Returns the problems of filters as django-filter 25.2 reports them, with status 400: a value of another type, or a choice or an object that does
 * not exist. Undefined = none.
 */
export function filterProblems(runtime: Runtime, resource: Resource, query: URLSearchParams): Fields | undefined {
  const problems = resource.filters.flatMap((filter) => {
    const wrong = givenValues(filter, query).map((value) => problemOf(runtime, resource, filter, value));
    const first = wrong.find((problem) => problem !== undefined);
    return first === undefined ? [] : [[filter, [first]] as const];
  });
  return problems.length === 0 ? undefined : Object.fromEntries(problems);
}

function problemOf(runtime: Runtime, resource: Resource, filter: string, value: string): string | undefined {
  if (NUMBERS.includes(filter)) return Number.isNaN(Number(value)) ? "Enter a number." : undefined;
  if (UUIDS.includes(filter)) return UUID.test(value) ? undefined : "Enter a valid UUID.";
  const reference = REFERENCES[filter];
  const known = reference ? valuesOf(runtime, reference) : choices(runtime, resource, filter);
  if (known === undefined || known.includes(value)) return undefined;
  const hasUuids = reference?.field === undefined && known.some((id) => UUID.test(id));
  if (hasUuids && !UUID.test(value)) return `“${value}” is not a valid UUID.`;
  const named = reference && !SEVERAL.includes(filter) ? "That choice" : value;
  return `Select a valid choice. ${named} is not one of the available choices.`;
}

function valuesOf({ store }: Runtime, { kinds, field = "pk" }: Reference): string[] {
  return kinds.flatMap((kind) => store.list(kind).map((object) => String((object as Fields)[field])));
}

/** Returns the choices of a field; of a mapping's managed name, those that exist (`AllValuesMultipleFilter`). */
function choices(runtime: Runtime, resource: Resource, filter: string): string[] | undefined {
  if (filter !== "managed") return choicesOf(resource.schema, filter);
  return resource.kind === "mapping" ? listed(runtime, resource).map(({ managed }) => String(managed)) : undefined;
}
