/** `npm run bench`: sizes and times, each beside its floor, in one run on one machine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { startPlatform } from "../local/platform/platform.ts";
import { createProgress } from "../ops/progress.ts";
import { benchEngine } from "./engine.ts";
import { benchPlan } from "./plan.ts";
import { benchWire } from "./wire.ts";

/** One line of the result: what was measured, and the values under their headings. */
export type Measurement = Readonly<Record<string, string | number>>;

const progress = createProgress();
const data = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
const platform = await startPlatform({ data, progress });
try {
  print("Plan, pure", await progress.step("Plan", () => Promise.resolve(benchPlan())));
  print("Engine, 50 services", await benchEngine(platform, progress));
  print("Requests, 10 connections", await benchWire(platform, progress));
} finally {
  await platform.stop();
  rmSync(data, { recursive: true, force: true });
}

function print(title: string, rows: readonly Measurement[]): void {
  const head = Object.keys(rows[0] ?? {});
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const row of rows) {
    table.push(head.map((name) => row[name] ?? ""));
  }
  process.stdout.write(`${title}\n${table.toString()}\n\n`);
}
