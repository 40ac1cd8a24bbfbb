/** The access diff of each stack between two versions of the stack files. */
import { basename } from "node:path";
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
import { fileOf, type Version } from "./versions.ts";

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
  const added = addedFiles(base, head);
  return stacks.map((stack) => {
    const before = planned(base, stack, environment);
    const others = added.filter((path) => basename(path) === fileOf(stack));
    const after =
      others.length > 0 ? { problems: otherFolderError(others).message } : planned(head, stack, environment);
    const changes = after.problems === undefined ? accessDiff(before.target?.plan, after.target?.plan) : [];
    const refused = refusedNames(before, after);
    return { stack, changes, refused, problems: after.problems, baseProblems: before.problems };
  });
}

/** Returns the stack files in other folders that only the new version has there. A file has no repository to compare. */
function addedFiles(base: Version, head: Version): string[] {
  if (base.otherFiles === undefined || head.otherFiles === undefined) return [];
  const known = new Set(base.otherFiles());
  return head.otherFiles().filter((path) => !known.has(path));
}

function otherFolderError(paths: readonly string[]): ConfigError {
  const message =
    "is a file of this stack in another folder, which the base does not have there: a deployment from that folder changes the same state, and the " +
    "access diff does not contain it";
  const hint = "keep the stack file where the base has it";
  return new ConfigError(
    paths.join(", "),
    paths.map((path) => ({ path, message, hint })),
  );
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
