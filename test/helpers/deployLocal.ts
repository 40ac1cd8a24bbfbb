/** Deploys the local stack with other services on a running platform, for the test that kills a large deployment. */
import { deploy, openLocal } from "../../local/deploy.ts";
import type { Platform } from "../../local/platform/platform.ts";

const [platform, changes] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const local = await openLocal(platform as Platform, changes as Record<string, unknown>);
await deploy(local, { step: (_title, work) => work(() => undefined), note: () => undefined });
