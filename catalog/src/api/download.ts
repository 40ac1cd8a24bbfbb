import { toCsv } from "../text/csv.ts";
import { BATCH, fetchPage } from "./client.ts";
import type { RowsRequest } from "./request.ts";
import type { Row } from "./rows.ts";

export type Format = "csv" | "json";

/** Maximum number of rows that the page saves: 50 responses, which the API's limits allow. */
export const MAX_ROWS = 50_000;

interface Download {
  readonly file: Blob;
  readonly rows: number;
  /** Whether there were more rows than the page saves. */
  readonly cut: boolean;
}

/** Reads all rows of a request, batch by batch, into one file. Throws ApiError. */
export async function download(
  request: RowsRequest,
  columns: readonly string[],
  format: Format,
  progress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Download> {
  const parts: string[] = [];
  let count = 0;
  for (;;) {
    // When the file is full, one more row shows whether it is cut.
    const limit = Math.min(BATCH, MAX_ROWS - count) || 1;
    const { response, isLast } = await fetchPage<Row>(request, { limit, offset: count }, signal);
    const { rows } = response;
    if (count === MAX_ROWS) return { file: fileOf(parts, format), rows: count, cut: rows.length > 0 };
    if (rows.length > 0 || count === 0)
      parts.push(format === "csv" ? toCsv(columns, rows, count === 0) : inner(response.text));
    count += rows.length;
    progress(count);
    if (isLast) return { file: fileOf(parts, format), rows: count, cut: false };
  }
}

/** Returns the text between the brackets of an array: rows stay exactly as the API wrote them. */
function inner(json: string): string {
  return json.trim().slice(1, -1);
}

function fileOf(parts: readonly string[], format: Format): Blob {
  if (format === "csv") return new Blob([...parts], { type: "text/csv;charset=utf-8" });
  return new Blob(["[", parts.join(",\n"), "]\n"], { type: "application/json" });
}
