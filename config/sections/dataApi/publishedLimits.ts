/**
 * The limits of `data_api.limits` that the catalog publishes: the stack passes them to the server of the catalog, and the server to the page
 * (`config.json`). `text` names the sentence of the About page (catalog/src/i18n); several limits can share one, and the sentence contains each by
 * its name. The order is that of the page. `higher` is the meaning of a higher value for the access diff: "more" = a client may request more.
 */
export const LIMITS = {
  /** Maximum number of rows in one response. */
  maxRows: { text: "limitRows", higher: "more" },
  /** Rows of the largest table that is counted exactly. */
  exactCountRows: { text: "limitCount", higher: "more" },
  /** Maximum duration of a query, in milliseconds; in seconds in texts. */
  statementTimeout: { text: "limitTime", perUnit: 1000, unit: "ms", higher: "more" },
  /** Average rate of one client address. */
  requestsPerSecond: { text: "limitRate", higher: "more" },
  burst: { text: "limitRate", higher: "more" },
  /** Concurrent requests of one client address. */
  inFlight: { text: "limitRate", higher: "more" },
  /** Seconds for which a response can be cached without revalidation. */
  maxAge: { text: "limitCache", unit: "s", higher: "other" },
} as const;

/** Maximum number of items of a `select`, for every stack. The gateway refuses longer ones, and `/openapi.json` contains the number. */
export const MAX_SELECTED = 100;

/** Maximum number of columns of an `order`, for every stack. The gateway refuses longer ones, and `/openapi.json` contains the number. */
export const MAX_ORDERED = 100;

/** An aggregate that collects all rows of one argument, as a regular expression. The gateway refuses it in a `select` and an `order`. */
export const AGGREGATE = "(array|jsonb?)_agg";

type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

/**
 * Returns the published limits, in the order of the table.
 * @param read returns the value of a limit
 */
export function limitsFrom(read: (name: LimitName) => number): Limits {
  const names = Object.keys(LIMITS) as LimitName[];
  return Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as Limits;
}
