import { comparison, takesValue } from "../state/operators.ts";
import type { Filter, ViewState } from "../state/view.ts";

export const ACCEPT_PROFILE = "Accept-Profile";

/** What a request needs of a row of `meta_endpoints`. */
interface RequestedRelation {
  readonly schema: string;
  readonly relation: string;
  readonly primary_key: readonly string[];
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

/** Its address. Characters that a query string may hold stay readable. */
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

/**
 * Returns the request of the viewer: the rows of one page, in an order that does not change between pages where the relation has a key. It names the
 * schema unless that is the default one, whose relations alone are stable.
 */
export function viewRequest(
  { schema, relation, primary_key, stability }: RequestedRelation,
  view: ViewState,
): RowsRequest {
  const order = orderOf(view.sort, primary_key);
  return {
    relation,
    profile: stability === "stable" ? undefined : schema,
    params: [
      ...(view.columns.length > 0 ? [["select", view.columns.map(quotedName).join(",")] as const] : []),
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

function orderOf(sort: ViewState["sort"], primaryKey: readonly string[]): string {
  const rest = primaryKey.filter((column) => column !== sort?.column).map(quotedName);
  return [...(sort ? [`${quotedName(sort.column)}.${sort.descending ? "desc.nullslast" : "asc"}`] : []), ...rest].join(
    ",",
  );
}

// Names of PostgREST's own parameters; between quotes they are columns.
const RESERVED = ["select", "order", "limit", "offset", "columns", "on_conflict", "and", "or", "not"];

/** A column's name as PostgREST reads it, quoted where it has to be. */
export function quotedName(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/iu.test(name) && !RESERVED.includes(name)) return name;
  return `"${name.replace(/["\\]/gu, "\\$&")}"`;
}
