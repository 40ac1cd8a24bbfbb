import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { ViewState } from "../state/view.ts";
import { type Answer, fetchRows } from "./client.ts";
import { loadConfig } from "./config.ts";
import { ApiError } from "./errors.ts";
import type { EndpointDetails } from "./meta.ts";
import { type RowsRequest, viewRequest } from "./request.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Rows with a total, and whether that was counted or estimated. */
export interface Counted extends Answer<Row> {
  readonly exact: boolean;
  readonly maxRows: number;
}

/** Whether an answer has all rows that match. */
export function isComplete({ exact, total, rows }: Counted): boolean {
  return exact && total === rows.length;
}

/** The rows of one page of the viewer, with their total; those of the last page stay until the next are there. */
export function useRows(endpoint: EndpointDetails, view: ViewState): UseQueryResult<Counted> {
  const request = viewRequest(endpoint, view);
  return useQuery({
    queryKey: ["rows", request],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchCounted(request, endpoint.row_estimate ?? 0, signal),
  });
}

/** Counts exactly unless the relation is known to be larger than what the API counts, or the API refuses to. */
async function fetchCounted(request: RowsRequest, estimate: number, signal: AbortSignal): Promise<Counted> {
  const { limits } = await loadConfig();
  const fetchWith = async (prefer: string): Promise<Omit<Counted, "exact">> => {
    const answer = await fetchRows<Row>({ ...request, prefer }, signal);
    return { ...answer, maxRows: answer.maxRows ?? limits.maxRows };
  };
  if (estimate <= limits.exactCountRows) {
    try {
      return { ...(await fetchWith("count=exact")), exact: true };
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "exact_count_refused")) throw error;
    }
  }
  const answer = await fetchWith("count=estimated");
  // PostgREST counts what fits into one answer, and estimates the rest.
  return { ...answer, exact: answer.total !== null && answer.total < answer.maxRows };
}
