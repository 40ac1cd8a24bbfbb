import { expect, test } from "vitest";
import { sourceTimes, timesOf } from "../../../../ops/checks/verify/job/freshness.ts";
import { metricsOf } from "../../../../ops/checks/verify/job/metrics.ts";

const ROWS = JSON.stringify([
  {
    source_id: "ssb-07459",
    last_ingested_at: "2026-02-19T08:00:00+01:00",
    next_expected_at: "2027-02-20T00:00:00+00:00",
  },
  { source_id: "quiet", last_ingested_at: "2026-01-01T00:00:00+00:00", next_expected_at: null },
]);

test("returns the times of each source, and none where its pipeline states none", async () => {
  const sources = timesOf(ROWS);
  const run = { stack: "dev", checks: { passed: 1, failed: 0, skipped: 0 }, seconds: 1, expiries: new Map(), sources };
  const lines = (await metricsOf(run, 0).metrics()).split("\n").filter((line) => line.startsWith("gatehouse_data_"));
  expect(lines).toEqual([
    'gatehouse_data_last_ingested_timestamp_seconds{source="ssb-07459"} 1771484400',
    'gatehouse_data_last_ingested_timestamp_seconds{source="quiet"} 1767225600',
    'gatehouse_data_next_expected_timestamp_seconds{source="ssb-07459"} 1803081600',
  ]);
});

test("returns no sources for a stack without a data API", async () => {
  expect(await sourceTimes([])).toEqual([]);
});
