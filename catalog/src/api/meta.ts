import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { Column } from "../state/columns.ts";
import { type RowsResponse, BATCH, fetchPage, fetchRows } from "./client.ts";

/** A relation that the API serves: its row of `meta_endpoints`, without the list of its columns. */
export interface Endpoint {
  readonly schema: string;
  readonly relation: string;
  readonly type: string;
  readonly kind: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly row_estimate: number | null;
  readonly source_ids: readonly string[];
  readonly stability: "stable" | "open";
}

/** A relation that the API serves: its whole row of `meta_endpoints`. */
export interface EndpointDetails extends Endpoint {
  readonly columns: readonly Column[] | null;
  readonly primary_key: readonly string[];
}

/** A row of `meta_sources`. */
export interface Source {
  readonly source_id: string;
  readonly provider: string;
  readonly title: string;
  readonly licence: string | null;
  readonly licence_url: string | null;
  readonly publisher: string | null;
  readonly attribution: string | null;
  readonly periodicity: string | null;
  readonly homepage: string | null;
  readonly last_ingested_at: string | null;
  readonly upstream_updated_at: string | null;
  readonly next_expected_at: string | null;
  readonly freshness: "fresh" | "late" | "unknown";
  readonly row_estimate: number | null;
  readonly endpoints: readonly string[];
}

/** A row of `meta_dimensions`. */
export interface Dimension {
  readonly source_id: string;
  readonly dimension: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly schema: string | null;
  readonly relation: string | null;
  readonly column_name: string | null;
  readonly editorial: unknown;
}

const LIST = "schema,relation,type,kind,title,description,tags,row_estimate,source_ids,stability";
const ORDER = ["order", "schema,relation"] as const;

/** Requests all endpoints, or those with a column of a name. */
export function useEndpoints(column = ""): UseQueryResult<RowsResponse<Endpoint>> {
  const filter = column ? [['"columns"', `cs.${JSON.stringify([{ name: column }])}`] as const] : [];
  return useQuery({
    queryKey: ["endpoints", column],
    queryFn: ({ signal }) => fetchAll<Endpoint>("meta_endpoints", [["select", LIST], ...filter, ORDER], signal),
  });
}

/** Requests one endpoint with its columns; the response has no row if there is none of that name. */
export function useEndpoint(schema: string, relation: string): UseQueryResult<RowsResponse<EndpointDetails>> {
  const params = [
    ["schema", `eq.${schema}`],
    ["relation", `eq.${relation}`],
  ] as const;
  return useQuery({
    queryKey: ["endpoint", schema, relation],
    queryFn: ({ signal }) => fetchRows<EndpointDetails>({ relation: "meta_endpoints", params }, signal),
  });
}

/** Requests sources by their names; all of them if none are given. */
export function useSources(ids?: readonly string[]): UseQueryResult<RowsResponse<Source>> {
  const filter = ids ? [["source_id", `in.(${ids.map((id) => JSON.stringify(id)).join(",")})`] as const] : [];
  return useQuery({
    queryKey: ["sources", ids ?? null],
    enabled: ids?.length !== 0,
    queryFn: ({ signal }) => fetchAll<Source>("meta_sources", [...filter, ["order", "source_id"]], signal),
  });
}

/** Requests the dimensions of a source. */
export function useDimensions(sourceId: string): UseQueryResult<RowsResponse<Dimension>> {
  const params = [
    ["source_id", `eq.${sourceId}`],
    ["order", "dimension"],
  ] as const;
  return useQuery({
    queryKey: ["dimensions", sourceId],
    queryFn: ({ signal }) => fetchAll<Dimension>("meta_dimensions", params, signal),
  });
}

async function fetchAll<T>(
  relation: string,
  params: readonly (readonly [string, string])[],
  signal: AbortSignal,
): Promise<RowsResponse<T>> {
  const rows: T[] = [];
  for (;;) {
    const { response, isLast } = await fetchPage<T>(
      { relation, params },
      { limit: BATCH, offset: rows.length },
      signal,
    );
    rows.push(...response.rows);
    if (isLast) return { ...response, rows };
  }
}
