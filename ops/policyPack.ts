import { join } from "node:path";
import { projectFolder } from "./paths.ts";

/** Folder of the policy pack, for `--policy-pack` and for `policyPacks` of the Automation API. */
export function policyPackFolder(): string {
  return join(projectFolder(), "policy");
}
