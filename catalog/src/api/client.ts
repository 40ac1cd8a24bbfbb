import ky from "ky";
import pLimit from "p-limit";
import { parseExactly } from "../text/json.ts";
import { loadConfig } from "./config.ts";
import { type Deprecation, readDeprecation } from "./deprecation.ts";
import { toApiError } from "./errors.ts";
import { ACCEPT_PROFILE, type RowsRequest, urlOf } from "./request.ts";

/** A response of the API: its rows, and the values of its headers. */
export interface RowsResponse<T> {
  readonly rows: T[];
  /** The rows as they came. */
  readonly text: string;
  /** Total number of rows; null if it was not requested. */
  readonly total: number | null;
  /** Maximum number of rows in one response. */
  readonly maxRows: number | null;
  readonly deprecation: Deprecation | null;
  /** When the API created the response. */
  readonly date: Date;
}

/** Requests under way at a time, where the API allows two more: other tabs have the same address. */
const MAX_PARALLEL = 4;
const inTurn = pLimit(MAX_PARALLEL);

/** Milliseconds until a response starts: at least this, and more than a query may take, so that the database reports one that takes too long. */
const MIN_TIMEOUT = 30_000;
const AFTER_STATEMENT = 10_000;

/** Most milliseconds between two parts of a body. */
const BODY_TIMEOUT = 60_000;

/** A counted response beyond the last row: none, and a total as ever (RFC 9110, 15.5.17). */
const PAST_THE_END = 416;

const http = ky.create({
  credentials: "omit",
  throwHttpErrors: (status) => status !== PAST_THE_END,
  retry: {
    limit: 3,
    methods: ["get"],
    statusCodes: [429, 502, 503, 504],
    afterStatusCodes: [429, 503],
    maxRetryAfter: 10_000,
  },
});

/** Reads rows with few concurrent requests, and retries if the API returns 429. Throws ApiError. */
export async function fetchRows<T>(request: RowsRequest, signal?: AbortSignal): Promise<RowsResponse<T>> {
  try {
    const { baseUrl, limits } = await loadConfig();
    inTurn.concurrency = Math.max(1, Math.min(MAX_PARALLEL, limits.inFlight - 2));
    const timeout = Math.max(MIN_TIMEOUT, limits.statementTimeout + AFTER_STATEMENT);
    return await inTurn(() => read<T>(baseUrl, request, timeout, signal));
  } catch (error) {
    throw toApiError(error);
  }
}

/** Number of rows of one request of {@link fetchPage}; the API may return fewer. */
export const BATCH = 1000;

/**
 * Reads a part of the rows of a request.
 * @returns the response, and whether no rows follow it
 */
export async function fetchPage<T>(
  request: RowsRequest,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  signal: AbortSignal,
): Promise<{ readonly response: RowsResponse<T>; readonly isLast: boolean }> {
  const page = [
    ["limit", String(limit)],
    ["offset", String(offset)],
  ] as const;
  const response = await fetchRows<T>({ ...request, params: [...request.params, ...page] }, signal);
  const { rows, maxRows } = response;
  return { response, isLast: rows.length === 0 || rows.length < Math.min(limit, maxRows ?? limit) };
}

async function read<T>(
  baseUrl: string,
  request: RowsRequest,
  timeout: number,
  signal?: AbortSignal,
): Promise<RowsResponse<T>> {
  const headers = new Headers(request.prefer === undefined ? {} : { Prefer: request.prefer });
  if (request.profile !== undefined) headers.set(ACCEPT_PROFILE, request.profile);
  const stalled = new AbortController();
  const signals = [stalled.signal, ...(signal ? [signal] : [])];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(new DOMException("body", "TimeoutError")), BODY_TIMEOUT);
  };
  // The timeout of ky ends with the headers.
  const options = { headers, timeout, signal: AbortSignal.any(signals), onDownloadProgress: wait };
  const response = await http.get(urlOf(baseUrl, request), options);
  wait();
  const text = await response.text().finally(() => clearTimeout(timer));
  return {
    rows: response.status === PAST_THE_END ? [] : (parseExactly(text) as T[]),
    text,
    total: count(response.headers.get("Content-Range")?.split("/")[1]),
    maxRows: count(response.headers.get("X-Max-Rows")),
    deprecation: readDeprecation(response.headers),
    date: new Date(response.headers.get("Date") ?? Date.now()),
  };
}

function count(text: string | null | undefined): number | null {
  return text && /^\d+$/u.test(text) ? Number(text) : null;
}
