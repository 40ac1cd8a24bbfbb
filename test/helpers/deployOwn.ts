/** Deploys a stack on a running platform and prints the start of each step, for tests that interrupt it. Arguments as JSON: platform, name, config, and whether with checkpoints. */
import type { Platform } from "../../local/platform/platform.ts";
import type { Progress } from "../../ops/terminal/progress.ts";
import { type Config, openOwn } from "./ownPlatform.ts";

const [platform, name, config, checkpoints] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
/** Number of steps that were running at the last line of progress. */
let running = 0;
const progress: Progress = {
  step: (_title, work) => work(printStart),
  note: () => undefined,
};
const stack = await openOwn(platform as Platform, name as string, progress);
await stack.up(config as Config, checkpoints as boolean);

/** Prints a line of progress if it reports the start of a step. The engine also reports an end, if other steps still run: how often depends on the time. */
function printStart(detail: string): void {
  const step = /^[a-z-]+ \S+(?: and (?<others>\d+) more)?$/.exec(detail);
  if (!step) return;
  const before = running;
  running = 1 + Number(step.groups?.["others"] ?? 0);
  if (running >= before) process.stdout.write(`${detail}\n`);
}
