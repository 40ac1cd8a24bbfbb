/** Deploys the local stack on a running platform, for the test that kills a deployment half-way. */
import { deploy, openLocal } from "../../local/deploy.ts";
import type { Platform } from "../../local/platform/platform.ts";

const platform = JSON.parse(process.argv[2] ?? "") as Platform;
await deploy(await openLocal(platform), { step: (_title, work) => work(() => undefined), note: () => undefined });
