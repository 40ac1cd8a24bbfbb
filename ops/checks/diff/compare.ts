/** The access diff of each stack between two versions of the stack files. */
import { parseStack } from "../../../config/load.ts";
import { ConfigError } from "../../../config/errors/problems.ts";
import type { Environment } from "../../../config/variables/variables.ts";
import type { Settings } from "../../../config/settings.ts";
import { accessOf } from "../../../infra/access/access.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { changedNames, deployedNames } from "../../engine/databaseNames.ts";
import { accessDiff } from "./diff.ts";
import type { Change } from "./entry.ts";
import type { Version } from "./versions.ts";

export interface StackDiff {
  readonly stack: string;
  readonly changes: readonly Change[];
  /** Names that a deployment of the old version cannot change: `npx gatehouse deploy` refuses the new version with these messages. */
  readonly refused: readonly string[];
  /** What is wrong with the new version, so that there is nothing to compare. */
  readonly problems: string | undefined;
  /** What is wrong with the old version, so that everything reads as new. */
  readonly baseProblems: string | undefined;
}

/**
 * Compares the stacks of two versions.
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
    const [before, after] = [planned(base, stack, environment), planned(head, stack, environment)];
    const changes = after.problems === undefined ? accessDiff(before.target?.plan, after.target?.plan) : [];
    const refused = refusedNames(before, after);
    return { stack, changes, refused, problems: after.problems, baseProblems: before.problems };
  });
}

/** A version of a stack; neither field if it has no file. */
interface Planned {
  readonly target?: { readonly settings: Settings; readonly plan: Plan };
  readonly problems?: string;
}

function refusedNames({ target: before }: Planned, { target: after }: Planned): string[] {
  if (before === undefined || after === undefined) return [];
  const deployed = { databaseNames: deployedNames(before.settings), access: accessOf(before.plan) };
  return changedNames(after, deployed);
}

function planned(version: Version, stack: string, environment: Environment): Planned {
  if (!version.stacks.includes(stack)) return {};
  try {
    const settings = parseStack(version.read(stack), environment, { secretsRequired: false });
    return { target: { settings, plan: computePlan(settings) } };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.message };
  }
}
