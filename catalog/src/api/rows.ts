import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { ViewState } from "../state/view.ts";
import { type Answer, fetchRows } from "./client.ts";
import { ApiError } from "./errors.ts";
import type { EndpointDetails } from "./meta.ts";
import { type RowsRequest, viewRequest } from "./request.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Rows with a total, and whether that was counted or estimated. */
export interface Counted extends Answer<Row> {
  readonly exact: boolean;
}

/** Up to so many rows (by the statistics) a count costs little; above it an estimate has to do. */
export const COUNTED_ROWS = 1_000_000;

/** The rows of one page of the viewer, with their total; those of the last page stay until the next are there. */
export function useRows(endpoint: EndpointDetails, view: ViewState): UseQueryResult<Counted> {
  const request = viewRequest(endpoint, view);
  return useQuery({
    queryKey: ["rows", request],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchCounted(request, (endpoint.row_estimate ?? 0) <= COUNTED_ROWS, signal),
  });
}

/** Counts exactly unless the relation is known to be large, or the API refuses to. */
async function fetchCounted(request: RowsRequest, exactly: boolean, signal: AbortSignal): Promise<Counted> {
  if (exactly) {
    try {
      return { ...(await fetchRows<Row>({ ...request, prefer: "count=exact" }, signal)), exact: true };
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "exact_count_refused")) throw error;
    }
  }
  const answer = await fetchRows<Row>({ ...request, prefer: "count=estimated" }, signal);
  // PostgREST counts what fits into one answer, and estimates the rest.
  return { ...answer, exact: answer.total !== null && answer.total < (answer.maxRows ?? 0) };
}
