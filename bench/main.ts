/** `npm run bench [-- PART ...]`: sizes and times, each with its baseline, in one run on one machine. Without a part, all of them. */
import Table from "cli-table3";
import { createProgress } from "../ops/terminal/progress.ts";
import { benchCatalogPage } from "./catalogPage.ts";
import { benchDataApi } from "./dataApi.ts";
import { benchEngine } from "./engine.ts";
import { benchPlan } from "./plan.ts";
import type { Measurement } from "./measurement.ts";
import { benchWire } from "./wire.ts";

const progress = createProgress();
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  plan: async () => print("Plan, pure", await progress.step("Plan", () => Promise.resolve(benchPlan()))),
  engine: async () => {
    const { times, resources } = await benchEngine(progress);
    print("Engine, services on three domains", times);
    print("Resources that one more exposure costs", resources);
  },
  wire: async () => {
    const { routes, costs } = await benchWire(progress);
    print("Routes of Gatehouse, each with its baseline: a route to the same backend in the same run", routes);
    print("Basic auth by the cost of its hash, compared with a route without authentication", costs);
  },
  data: async () => {
    const { requests, catalog } = await benchDataApi(progress);
    print("Requests of the data API", requests);
    print("Description of the data API by the number of relations", catalog);
  },
  catalog: async () => {
    const { sizes, times } = await benchCatalogPage(progress);
    print("Bytes of the catalog", sizes);
    print("First rows in the browser", times);
  },
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  throw new Error(`unknown part ${unknown.join(", ")}. The parts are ${Object.keys(PARTS).join(", ")}.`);
}
for (const [name, run] of Object.entries(PARTS)) {
  if (names.length === 0 || names.includes(name)) await run();
}

function print(title: string, rows: readonly Measurement[]): void {
  const head = Object.keys(rows[0] ?? {});
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const row of rows) {
    table.push(head.map((name) => row[name] ?? ""));
  }
  process.stdout.write(`${title}\n${table.toString()}\n\n`);
}
