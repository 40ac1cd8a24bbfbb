/** One running platform with one stack, which each file of the folder deploys first, in the state that the file before it left. Others that a file deploys, it removes. */
import type { TestProject } from "vitest/node";
import type { Platform } from "../../local/platform/platform.ts";
import { startOwnPlatform } from "../helpers/ownPlatform.ts";

declare module "vitest" {
  interface ProvidedContext {
    running: Platform;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = await startOwnPlatform();
  // What cannot be sent to the process of the tests is left out.
  project.provide("running", JSON.parse(JSON.stringify(own.platform)) as Platform);
  return () => own.stop();
}
