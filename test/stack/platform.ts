/** One running platform with one stack, which each file of the folder deploys in the state that the file before it left. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { deployEcho } from "../e2e/ownPlatform.ts";
import { quiet } from "../helpers/quiet.ts";

declare module "vitest" {
  interface ProvidedContext {
    running: Platform;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-stack-"));
  const platform = await startPlatform({ data, progress: quiet });
  await deployEcho(platform, "default");
  // What cannot be sent to the process of the tests is left out.
  project.provide("running", JSON.parse(JSON.stringify(platform)) as Platform);
  return async () => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  };
}
