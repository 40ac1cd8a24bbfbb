import { AGGREGATE, MAX_ORDERED, MAX_SELECTED } from "../../../config/sections/dataApi/limits.ts";
import { type Column, familyOf, REFUSED_NAME } from "../state/columns.ts";
import { comparison, takesValue } from "../state/operators.ts";
import type { Filter, ViewState } from "../state/view.ts";

export const ACCEPT_PROFILE = "Accept-Profile";

/** What a request needs of a row of `meta_endpoints`. */
interface RequestedRelation {
  readonly schema: string;
  readonly relation: string;
  readonly primary_key: readonly string[];
  readonly columns: readonly Pick<Column, "name" | "type">[] | null;
  readonly stability: "stable" | "open";
}

/** A request for rows, before it has a base address. */
export interface RowsRequest {
  readonly relation: string;
  /** The schema; undefined for the default one. */
  readonly profile?: string | undefined;
  readonly params: readonly (readonly [string, string])[];
  readonly prefer?: string | undefined;
}

/** Returns the URL of a request. Characters that a query string can contain stay readable. */
export function urlOf(baseUrl: string, { relation, params }: RowsRequest): string {
  const query = params.map(([key, value]) => `${readable(key)}=${readable(value)}`).join("&");
  return `${baseUrl}/${encodeURIComponent(relation)}${query ? `?${query}` : ""}`;
}

function readable(text: string): string {
  const kept = (code: string): string => decodeURIComponent(code);
  return encodeURIComponent(text.toWellFormed())
    .replace(/%(2C|3A|2F|40)/gu, kept)
    .replaceAll("'", "%27");
}

/** Returns the schema that a request names; undefined for the default one, whose relations alone are stable. */
export function profileOf({ schema, stability }: Pick<RequestedRelation, "schema" | "stability">): string | undefined {
  return stability === "stable" ? undefined : schema;
}

/**
 * Returns the request of the viewer: the rows of one page, in an order that does not change between pages (see {@link tieBreakers}). It names the
 * schema unless that is the default one, whose relations alone are stable.
 */
export function viewRequest(endpoint: RequestedRelation, view: ViewState): RowsRequest {
  const { relation } = endpoint;
  const order = orderOf(view.sort, tieBreakers(endpoint));
  const select = view.columns.map(quotedName).join(",");
  return {
    relation,
    profile: profileOf(endpoint),
    params: [
      // Without a list, the response has all columns.
      ...(select && isSelectable(view.columns) && readable(select).length <= MAX_SELECT
        ? [["select", select] as const]
        : []),
      ...filterParams(view.filters),
      ...(order ? [["order", order] as const] : []),
      ["limit", String(view.size)],
      ...(view.page > 1 ? [["offset", String((view.page - 1) * view.size)] as const] : []),
    ],
  };
}

/** One parameter per complete condition. */
export function filterParams(filters: readonly Filter[]): (readonly [string, string])[] {
  return filters
    .filter(({ operator, value }) => value !== "" || !takesValue(operator))
    .map(({ column, operator, value }) => [quotedName(column), comparison(operator, value)] as const);
}

/**
 * Returns the request of a first page that needs no sorting of all rows: of a relation without a key and without a chosen order, any rows. Sorting
 * those of a large view takes longer than the API allows.
 */
export function unsortedFirstPage(relation: RequestedRelation, view: ViewState, request: RowsRequest): RowsRequest {
  if (view.sort !== null || view.page > 1 || isOrderedByKey(relation)) return request;
  return { ...request, params: request.params.filter(([name]) => name !== "order") };
}

/** Maximum length of an order in the address, where proxies accept lines of 8,000 characters. */
const MAX_ORDER = 4000;
/** Maximum length of a `select`: with an order and filters, the gateway accepts 8,000 characters. */
const MAX_SELECT = 2500;
const SORTABLE = new Set(["number", "time", "text", "boolean"]);
/** Other types of Postgres that are compared fast. */
const SORTABLE_TYPE = /^(uuid|interval|inet|cidr|macaddr8?|bit)\b(?!.*\[\])/u;

/** In the name of a column that the gateway refuses in a `select`. */
const UNSELECTABLE = new RegExp(`::|${AGGREGATE}`, "u");

/** Returns whether the gateway accepts these columns in a `select` (infra/plan/matchers.ts, selectsTooMuch). */
function isSelectable(names: readonly string[]): boolean {
  return limited(names, MAX_SELECTED).length === names.length && !names.some((name) => UNSELECTABLE.test(name));
}

/** Returns the first names that the gateway accepts in one list: it also counts the commas of names. */
function limited(names: readonly string[], max: number): string[] {
  let places = 0;
  return names.filter((name) => (places += name.split(",").length) <= max);
}

type Ordered = Pick<RequestedRelation, "primary_key" | "columns">;

function isOrderedByKey({ primary_key }: Ordered): boolean {
  return primary_key.length > 0 && !primary_key.some((name) => REFUSED_NAME.test(name));
}

/**
 * Returns the columns by which rows are ordered so that each has one place: the primary key. Without one, all columns that Postgres can sort, as far
 * as the API allows and the address has room for them.
 */
export function tieBreakers(relation: Ordered): string[] {
  if (isOrderedByKey(relation)) return [...relation.primary_key];
  const names = (relation.columns ?? [])
    .filter((column) => SORTABLE.has(familyOf(column)) || SORTABLE_TYPE.test(column.type))
    .map(({ name }) => name)
    .filter((name) => !REFUSED_NAME.test(name));
  let length = 0;
  return limited(names, MAX_ORDERED).filter((name) => (length += readable(quotedName(name)).length + 1) <= MAX_ORDER);
}

/** Returns whether two rows with the same place in the order are equal, so that pages and downloads contain each row once. */
export function isCompletelyOrdered(relation: Ordered): boolean {
  const count = tieBreakers(relation).length;
  return isOrderedByKey(relation) || (count > 0 && count === relation.columns?.length);
}

function orderOf(sort: ViewState["sort"], columns: readonly string[]): string {
  const rest = columns.filter((column) => column !== sort?.column);
  return limited([...(sort ? [sort.column] : []), ...rest], MAX_ORDERED)
    .map((name) => quotedName(name) + (name === sort?.column ? (sort.descending ? ".desc.nullslast" : ".asc") : ""))
    .join(",");
}

// Names of PostgREST's own parameters; between quotes they are columns.
const RESERVED = ["select", "order", "limit", "offset", "columns", "on_conflict", "and", "or", "not"];

/** Returns a column's name as PostgREST reads it, quoted where it has to be. */
export function quotedName(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/iu.test(name) && !RESERVED.includes(name)) return name;
  return `"${name.replace(/["\\]/gu, "\\$&")}"`;
}
