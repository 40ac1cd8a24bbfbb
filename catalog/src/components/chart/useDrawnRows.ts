import { useQuery } from "@tanstack/preact-query";
import { fetchRows } from "../../api/client.ts";
import type { EndpointDetails } from "../../api/meta.ts";
import { filterParams, quotedName, viewRequest } from "../../api/request.ts";
import { type Counted, isComplete, type Row } from "../../api/rows.ts";
import type { ViewState } from "../../state/view.ts";

const MAX_ROWS = 1000;

/** The relation and the selection of rows that a chart or a map draws. */
export interface DrawnProps {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  /** The rows of the table. */
  readonly response: Counted;
}

interface DrawnRows {
  /** Undefined = not loaded. */
  readonly rows: readonly Row[] | undefined;
  /** Whether these are all that match the filters. */
  readonly complete: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * Returns all rows that match the filters, up to {@link MAX_ROWS} and the maximum of one response. If the table contains all of them, no
 * request is sent.
 * @param order value of PostgREST's parameter `order`, which decides which rows are drawn if there are more
 */
export function useDrawnRows(
  { endpoint, view, response }: DrawnProps,
  columns: readonly string[],
  order: string,
): DrawnRows {
  const { relation, profile } = viewRequest(endpoint, view);
  const names = [...new Set(columns)];
  const inTable = isComplete(response) && names.every((name) => response.rows.every((row) => Object.hasOwn(row, name)));
  const params = [
    ["select", names.map(quotedName).join(",")],
    ...filterParams(view.filters),
    ["order", order],
    ["limit", String(MAX_ROWS)],
  ] as const;
  const request = { relation, profile, params };
  const { data, error, refetch } = useQuery({
    queryKey: ["drawn", request],
    queryFn: ({ signal }) => fetchRows<Row>(request, signal),
    enabled: !inTable,
  });
  if (inTable) return { rows: response.rows, complete: true, error: null, refetch };
  const complete =
    data !== undefined &&
    (data.rows.length < Math.min(MAX_ROWS, data.maxRows ?? MAX_ROWS) ||
      (response.exact && response.total === data.rows.length));
  return { rows: data?.rows, complete, error, refetch };
}
