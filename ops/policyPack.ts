import { join } from "node:path";
import { projectFolder } from "./paths.ts";

/**
 * Folder of the policy pack, for `--policy-pack` and for `policyPacks` of the Automation API.
 * @param project folder of the stack files. Default: this project
 */
export function policyPackFolder(project = projectFolder()): string {
  return join(project, "policy");
}
