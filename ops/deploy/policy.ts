import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../config/variables.ts";
import { policyPackFolder } from "../policyPack.ts";
import { which } from "../toolchain/find.ts";

/** Either runs a policy pack: the first comes with the official CLI, the second with the local platform. */
const RUNNERS = ["pulumi-language-nodejs", "pulumi-analyzer-policy-nodejs"];

/** A policy pack as options of a preview or an up, or why it cannot be asked. */
export interface Policy {
  readonly options: { readonly policyPacks?: string[] };
  readonly fault: string | undefined;
}

/**
 * The policy pack of the project.
 * @param project folder of the stack files
 * @param environment its PATH is where the engine looks for what runs a pack
 */
export async function policyOf(project: string, environment: Environment): Promise<Policy> {
  const pack = policyPackFolder(project);
  if (!existsSync(join(pack, "PulumiPolicy.yaml"))) return { options: {}, fault: undefined };
  const found = await Promise.all(RUNNERS.map((runner) => which(runner, environment["PATH"] ?? "")));
  if (found.some((file) => file !== undefined)) return { options: { policyPacks: [pack] }, fault: undefined };
  const cure = "put the folder of the official Pulumi CLI, which has it, on PATH";
  return { options: {}, fault: `The policy pack was not asked, since ${RUNNERS[0]} is not on PATH; ${cure}.` };
}
