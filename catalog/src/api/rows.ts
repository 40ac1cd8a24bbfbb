import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { ViewState } from "../state/view.ts";
import { type RowsResponse, fetchRows } from "./client.ts";
import { loadConfig } from "./config.ts";
import { ApiError, STATEMENT_TIMEOUT } from "./errors.ts";
import type { Endpoint, EndpointDetails } from "./meta.ts";
import { profileOf, type RowsRequest, unsortedFirstPage, viewRequest } from "./request.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Rows of one page with a total, and whether that was counted or estimated. */
export interface Counted extends RowsResponse<Row> {
  /** The page and the filters that they belong to. */
  readonly view: Pick<ViewState, "page" | "size" | "filters">;
  /** The request that returned them. */
  readonly request: RowsRequest;
  readonly exact: boolean;
  readonly maxRows: number;
}

/** Whether a response has all rows that match. */
export function isComplete({ exact, total, rows }: Counted): boolean {
  return exact && total === rows.length;
}

/** Returns the rows of one page of the viewer, with their total; those of the last page stay until the next ones are loaded. */
export function useRows(endpoint: EndpointDetails, view: ViewState, enabled = true): UseQueryResult<Counted> {
  const request = viewRequest(endpoint, view);
  return useQuery({
    queryKey: ["rows", request],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchCounted(endpoint, view, request, signal),
  });
}

/** Returns the number of rows of a relation, which the API counts if its tables have no more than `exact_count_rows`. */
export function useTotal(endpoint: Endpoint, enabled: boolean): UseQueryResult<number | null> {
  const { relation } = endpoint;
  const request: RowsRequest = {
    relation,
    profile: profileOf(endpoint),
    params: [["limit", "0"]],
    prefer: "count=exact",
  };
  return useQuery({
    queryKey: ["total", request],
    enabled,
    // A view can take the database a second.
    staleTime: 600_000,
    queryFn: async ({ signal }) => (await fetchRows(request, signal)).total,
  });
}

/** Counts exactly unless the relation is known to be larger than what the API counts, or the API refuses to. */
async function fetchCounted(
  endpoint: EndpointDetails,
  view: ViewState,
  request: RowsRequest,
  signal: AbortSignal,
): Promise<Counted> {
  const { limits } = await loadConfig();
  const fetchWith = async (sent: RowsRequest, prefer?: string): Promise<Omit<Counted, "exact">> => {
    const response = await fetchRows<Row>({ ...sent, ...(prefer !== undefined && { prefer }) }, signal);
    return { ...response, maxRows: response.maxRows ?? limits.maxRows, view, request: sent };
  };
  if ((endpoint.row_estimate ?? 0) <= limits.exactCountRows) {
    try {
      return { ...(await fetchWith(request, "count=exact")), exact: true };
    } catch (error) {
      // To count all rows can take longer than to read the first of them.
      if (isRefused(error, STATEMENT_TIMEOUT) && view.sort === null)
        return { ...(await fetchWith(unsortedFirstPage(endpoint, view, request))), exact: false };
      if (!isRefused(error, "exact_count_refused")) throw error;
    }
  }
  const first = unsortedFirstPage(endpoint, view, request);
  // A relation that hides rows of its tables has no estimate.
  const response = await fetchWith(first, "count=estimated").catch((error: unknown) => {
    if (!isRefused(error, "estimate_refused")) throw error;
    return fetchWith(first);
  });
  // PostgREST counts what fits into one response, and estimates the rest.
  const exact = response.total !== null && response.total < response.maxRows;
  // So few rows are sorted in no time, and the next page continues this one.
  if (exact && first !== request && response.rows.length < (response.total ?? 0))
    return { ...(await fetchWith(request, "count=estimated")), exact };
  return { ...response, exact };
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
