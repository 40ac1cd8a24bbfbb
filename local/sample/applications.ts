import { readFile } from "node:fs/promises";
import { applyYaml } from "../platform/api.ts";
import type { Platform } from "../platform/platform.ts";

/** Deploys the sample applications, or brings them up to date; does not wait for them, since they wait for the stack. */
export async function deployApplications({ kubeconfig }: Pick<Platform, "kubeconfig">): Promise<void> {
  await applyYaml(kubeconfig, await readFile(new URL("applications.yaml", import.meta.url), "utf8"));
}
