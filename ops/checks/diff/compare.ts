/** The access diff of each stack between two versions of the stack files. */
import { parseStack } from "../../../config/load.ts";
import { ConfigError } from "../../../config/problems.ts";
import type { Environment } from "../../../config/variables.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { accessDiff } from "./diff.ts";
import type { Change } from "./entry.ts";
import type { Version } from "./versions.ts";

export interface StackDiff {
  readonly stack: string;
  readonly changes: readonly Change[];
  /** What is wrong with the new version, so that there is nothing to compare. */
  readonly problems: string | undefined;
  /** What is wrong with the old version, so that everything reads as new. */
  readonly baseProblems: string | undefined;
}

/**
 * @param stacks default: all that one of the versions has
 * @param environment for template variables that the stack files do not set; a plan needs no secret
 */
export function compareVersions(
  base: Version,
  head: Version,
  environment: Environment,
  stacks: readonly string[] = [...new Set([...base.stacks, ...head.stacks])].sort(),
): StackDiff[] {
  return stacks.map((stack) => {
    const [before, after] = [planOf(base, stack, environment), planOf(head, stack, environment)];
    const changes = after.problems === undefined ? accessDiff(before.plan, after.plan) : [];
    return { stack, changes, problems: after.problems, baseProblems: before.problems };
  });
}

function planOf(version: Version, stack: string, environment: Environment): { plan?: Plan; problems?: string } {
  if (!version.stacks.includes(stack)) return {};
  try {
    return { plan: computePlan(parseStack(version.read(stack), environment, { secretsRequired: false })) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.message };
  }
}
