/** Deploys the local stack, with changes to its configuration, on a running platform: both as JSON. For tests that kill a deployment. */
import { deploy, openLocal } from "../../local/deploy.ts";
import type { Platform } from "../../local/platform/platform.ts";
import { quiet } from "./quiet.ts";

const [platform, changes] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
await deploy(await openLocal(platform as Platform, changes as Record<string, unknown>), quiet);
