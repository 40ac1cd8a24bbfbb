/** How old the data is, as its pipelines state it (docs/describing-data.md). */
import type { Exposure } from "../../../../infra/plan/types.ts";
import { withClient } from "../../../clients/http.ts";

/** A source of the catalog; undefined = its pipeline does not state it. */
export interface SourceTimes {
  readonly source: string;
  readonly ingested: Date | undefined;
  readonly expected: Date | undefined;
}

/** The job has little time left for it (verifyTarget.ts). */
const TIMEOUT_MS = 20_000;
const QUERY = "meta_sources?select=source_id,last_ingested_at,next_expected_at";

/**
 * Reads the sources from the data API.
 * @param exposures all of the stack; without a data API there are no sources
 * @returns none if it does not answer, or not with JSON: other checks report that
 */
export async function sourceTimes(exposures: readonly Exposure[]): Promise<SourceTimes[]> {
  const api = exposures.find(({ role }) => role === "data-api");
  if (api === undefined) return [];
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status, body } = await withClient((client) => client.send(`${api.url}/${QUERY}`, { signal }));
    return status === 200 ? timesOf(body) : [];
  } catch {
    return [];
  }
}

/** Returns the times of the sources. @param body rows of `meta_sources` as JSON */
export function timesOf(body: string): SourceTimes[] {
  return (JSON.parse(body) as Readonly<Record<string, string | null>>[]).map((row) => ({
    source: row["source_id"] ?? "",
    ingested: dateOf(row["last_ingested_at"]),
    expected: dateOf(row["next_expected_at"]),
  }));
}

function dateOf(text: string | null | undefined): Date | undefined {
  return text === null || text === undefined ? undefined : new Date(text);
}
