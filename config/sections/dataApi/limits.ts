/** A limit of the data API. */
export interface Limit {
  /** A number, or an interval of Postgres. */
  readonly default: number | string;
  /** Maximum; of an interval, in milliseconds. */
  readonly max: number;
  readonly description: string;
  /** Undefined = not in the catalog. */
  readonly published?: {
    /** Name of the sentence of the About page (catalog/src/i18n); several limits can share one, and the sentence contains each by its name. */
    readonly text: string;
    /** The meaning of a higher value for the access diff: "more" = a client may request more. */
    readonly higher: "more" | "other";
    readonly unit?: string;
    /** Divisor of the value in the text, e.g. 1000 for milliseconds that it prints as seconds. */
    readonly perUnit?: number;
  };
}

/**
 * The limits of `data_api.limits`, in the order of the About page. The schema of the stack file has a field for each. The catalog publishes those with
 * `published`: the stack passes them to the server of the catalog, and the server to the page (`config.json`).
 */
export const LIMITS = {
  maxRows: {
    default: 1000,
    max: 1_000_000,
    description: "Maximum number of rows in one response.",
    published: { text: "limitRows", higher: "more" },
  },
  exactCountRows: {
    default: 1_000_000,
    max: 1_000_000_000,
    description: "Maximum number of rows for `count=exact`; larger relations have estimates only.",
    published: { text: "limitCount", higher: "more" },
  },
  // No client of a public API waits longer than the maximum, and the duration bounds what a query costs.
  statementTimeout: {
    default: "5s",
    max: 600_000,
    description: "Maximum duration of one query, at most 10min.",
    published: { text: "limitTime", perUnit: 1000, unit: "ms", higher: "more" },
  },
  requestsPerSecond: {
    default: 50,
    max: 100_000,
    description: "Requests per second of one client address; more get 429.",
    published: { text: "limitRate", higher: "more" },
  },
  burst: {
    default: 100,
    max: 100_000,
    description: "Burst of one client address above `requests_per_second`.",
    published: { text: "limitRate", higher: "more" },
  },
  inFlight: {
    default: 6,
    max: 100_000,
    description: "Concurrent requests of one client address; a browser opens six connections to a host.",
    published: { text: "limitRate", higher: "more" },
  },
  maxAge: {
    default: 60,
    max: 86_400,
    description:
      "Seconds for which browsers and caches can keep a response before they revalidate it (`Cache-Control: max-age`).",
    published: { text: "limitCache", unit: "s", higher: "other" },
  },
  connections: {
    default: 10,
    max: 1000,
    description: "Connections of one PostgREST replica to the database.",
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** Returns the name of a limit in the stack file, e.g. `max_rows`. */
export function limitKey(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Maximum number of items of a `select`, for every stack. The gateway refuses longer ones, and `/openapi.json` contains the number. */
export const MAX_SELECTED = 100;

/** Maximum number of columns of an `order`, for every stack. The gateway refuses longer ones, and `/openapi.json` contains the number. */
export const MAX_ORDERED = 100;

/** An aggregate that collects all rows of one argument, as a regular expression. The gateway refuses it in a `select` and an `order`. */
export const AGGREGATE = "(array|jsonb?)_agg";

type Published = { [Name in keyof typeof LIMITS]: (typeof LIMITS)[Name] extends { published: object } ? Name : never };
type LimitName = Published[keyof Published];
export type Limits = Readonly<Record<LimitName, number>>;

/** Names of the limits that the catalog publishes, in the order of the table. */
export const PUBLISHED = Object.entries(LIMITS).flatMap(([name, limit]) =>
  "published" in limit ? [name as LimitName] : [],
);

/**
 * Returns the published limits, in the order of the table.
 * @param read returns the value of a limit
 */
export function limitsFrom(read: (name: LimitName) => number): Limits {
  return Object.fromEntries(PUBLISHED.map((name) => [name, read(name)])) as unknown as Limits;
}
