/** Deploys the local stack on a running platform, for tests that kill a deployment. Arguments as JSON: platform, changes to its configuration, and whether with checkpoints. */
import { deploy, openLocal } from "../../local/deploy.ts";
import type { Platform } from "../../local/platform/platform.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

const [platform, changes, checkpoints] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const local = await openLocal(platform as Platform, changes as Record<string, unknown>);
await deploy({ ...local, checkpoints: checkpoints as boolean }, SILENT);
