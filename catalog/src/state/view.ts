import { isOperator, type Operator, takesValue } from "./operators.ts";

/** One condition on a column. */
export interface Filter {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Columns of a chart, by name. */
export interface ChartState {
  readonly x: string;
  readonly y: string;
  /** The column that splits it into series; empty for one series. */
  readonly series: string;
}

/** Columns of a map, by name. */
export interface MapState {
  /** The column with the numbers of areas. */
  readonly map: string;
  readonly y: string;
}

/** State of the viewer of a relation. The query string contains all of it. */
export interface ViewState {
  /** Columns to show, in this order; empty for all. */
  readonly columns: readonly string[];
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  readonly filters: readonly Filter[];
  /** The first page is 1. */
  readonly page: number;
  /** Rows per page. */
  readonly size: number;
  /** null for the chart that the columns suggest. */
  readonly chart: ChartState | MapState | "none" | null;
}

export const PAGE_SIZES = [25, 100, 250, 500] as const;
const DEFAULT_SIZE = 100;
const WHERE = "where.";

/** Returns the page sizes to choose from: those that one response can contain, and one for as many rows as it can. */
export function pageSizes(maxRows: number): readonly number[] {
  return PAGE_SIZES.filter((_, index) => index === 0 || (PAGE_SIZES[index - 1] ?? 0) < maxRows);
}

/**
 * Reads the state of the viewer from a query string: `col` (repeated), `sort=<column>.asc|desc`, `where.<column>=<operator>.<value>`
 * (repeated), `page`, `size`, `x`, `y`, `series` or `map`, `y` or `chart=none`. Omits invalid parameters, and
 * conditions without a value, which no request applies.
 */
export function readView(params: URLSearchParams): ViewState {
  return {
    columns: [...new Set(params.getAll("col").filter(Boolean))],
    sort: readSort(params.get("sort") ?? ""),
    filters: [...params].flatMap(([key, text]) => readFilter(key, text)),
    page: Number(/^[1-9]\d{0,8}$/u.exec(params.get("page") ?? "")?.[0] ?? 1),
    size: PAGE_SIZES.find((size) => String(size) === params.get("size")) ?? DEFAULT_SIZE,
    chart: readChart(params),
  };
}

/**
 * Returns a view without the columns and the sorting that the relation does not have, e.g. those of an old bookmark. Keeps an unknown filter, which the
 * API refuses: without it, the page would show other rows than the user asked for.
 */
export function knownColumns(view: ViewState, columns: readonly { readonly name: string }[]): ViewState {
  const names = new Set(columns.map(({ name }) => name));
  return {
    ...view,
    columns: view.columns.filter((name) => names.has(name)),
    sort: view.sort && names.has(view.sort.column) ? view.sort : null,
  };
}

/** Returns the query string of a state, without default values. */
export function writeView(view: Partial<ViewState>): URLSearchParams {
  const { columns = [], sort = null, filters = [], page = 1, size = DEFAULT_SIZE, chart = null } = view;
  const params = new URLSearchParams();
  for (const column of columns) params.append("col", column);
  for (const { column, operator, value } of filters) params.append(`${WHERE}${column}`, `${operator}.${value}`);
  if (sort) params.set("sort", `${sort.column}.${sort.descending ? "desc" : "asc"}`);
  if (page > 1) params.set("page", String(page));
  if (size !== DEFAULT_SIZE) params.set("size", String(size));
  if (chart === "none") params.set("chart", chart);
  else if (chart) {
    for (const [name, column] of Object.entries<string>({ ...chart })) if (column) params.set(name, column);
  }
  return params;
}

function readSort(text: string): ViewState["sort"] {
  const [, column, direction] = /^(.+)\.(asc|desc)$/su.exec(text) ?? [];
  return column === undefined ? null : { column, descending: direction === "desc" };
}

function readFilter(key: string, text: string): Filter[] {
  const [, operator = "", value = ""] = /^([a-z]+)\.(.*)$/su.exec(text) ?? [];
  if (!key.startsWith(WHERE) || key === WHERE || !isOperator(operator)) return [];
  if (value === "" && takesValue(operator)) return [];
  return [{ column: key.slice(WHERE.length), operator, value }];
}

function readChart(params: URLSearchParams): ViewState["chart"] {
  if (params.get("chart") === "none") return "none";
  const x = params.get("x") ?? "";
  const y = params.get("y") ?? "";
  const map = params.get("map") ?? "";
  if (map && y) return { map, y };
  return x && y ? { x, y, series: params.get("series") ?? "" } : null;
}
