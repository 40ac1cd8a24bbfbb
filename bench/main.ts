/** `npm run bench`: sizes and times, each beside its floor, in one run on one machine. */
import Table from "cli-table3";
import { createProgress } from "../ops/progress.ts";
import { benchEngine } from "./engine.ts";
import { benchPlan } from "./plan.ts";
import { benchWire } from "./wire.ts";

/** One line of the result: what was measured, and the values under their headings. */
export type Measurement = Readonly<Record<string, string | number>>;

const progress = createProgress();
print("Plan, pure", await progress.step("Plan", () => Promise.resolve(benchPlan())));
const { times, resources } = await benchEngine(progress);
print("Engine, services on three domains", times);
print("Resources that one more exposure costs", resources);
print("Requests", await benchWire(progress));

function print(title: string, rows: readonly Measurement[]): void {
  const head = Object.keys(rows[0] ?? {});
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const row of rows) {
    table.push(head.map((name) => row[name] ?? ""));
  }
  process.stdout.write(`${title}\n${table.toString()}\n\n`);
}
