/** Deploys a stack on a running platform and prints each step, for tests that interrupt it. Arguments as JSON: platform, name, config, and whether with checkpoints. */
import type { Platform } from "../../local/platform/platform.ts";
import type { Progress } from "../../ops/terminal/progress.ts";
import { type Config, openOwn } from "./ownPlatform.ts";

const [platform, name, config, checkpoints] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const progress: Progress = {
  step: (_title, work) => work((detail) => process.stdout.write(`${detail}\n`)),
  note: () => undefined,
};
const stack = await openOwn(platform as Platform, name as string, progress);
await stack.up(config as Config, checkpoints as boolean);
