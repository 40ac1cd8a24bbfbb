import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../../config/errors/userError.ts";
import { PROJECT_NAME } from "../../../config/files/projectFile.ts";
import { runPulumi } from "../runPulumi.ts";

/** A resource as a state contains it; secrets are encrypted. */
export interface Resource {
  readonly urn: string;
  readonly type: string;
  /** False for a component. */
  readonly custom?: boolean;
  readonly id?: string;
  readonly parent?: string;
  /** URN and id of the provider. */
  readonly provider?: string;
  /** Whether the engine refuses to delete it. */
  readonly protect?: boolean;
  /** Whether it stays when it is deleted from the state. */
  readonly retainOnDelete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
  /** Outputs that are secret although neither their inputs nor the provider's schema mark them as secret. */
  readonly additionalSecretOutputs?: readonly string[];
  /** Whether it was replaced and is to be deleted. */
  readonly delete?: boolean;
  /** Whether it was deleted and is to be created again. */
  readonly pendingReplacement?: boolean;
  /** Why it may not be as its inputs: the engine updates it in the next deployment, also without a difference. */
  readonly initErrors?: readonly string[];
}

export interface Operation {
  readonly resource: Resource;
  readonly type: string;
}

export interface Deployment {
  /** `time`: when the engine wrote this state. */
  readonly manifest?: { readonly time: string };
  readonly resources?: readonly Resource[];
  readonly pending_operations?: readonly Operation[];
}

/** A stack's state as `pulumi stack export` returns it; secrets are encrypted. */
export interface State {
  readonly version: number;
  readonly deployment: Deployment;
}

/** Exports the state with encrypted secrets. The Automation API exports them in plain text. */
export async function exportState(stack: Stack): Promise<State> {
  return JSON.parse(await pulumi(stack, ["stack", "export"])) as State;
}

/**
 * Replaces the resources of a stack's state, and removes pending operations. Another run can change the state meanwhile, e.g. on another machine:
 * the engine locks it for the import only.
 * @param change receives the resources in the order of the state, dependencies first, and returns them in such an order
 * @throws UserError if the state is no longer the one that `change` received
 */
export async function changeResources(
  stack: Stack,
  change: (resources: readonly Resource[]) => readonly Resource[] | Promise<readonly Resource[]>,
): Promise<void> {
  const state = await exportState(stack);
  const resources = await change(state.deployment.resources ?? []);
  if (!isDeepStrictEqual(await exportState(stack), state)) {
    throw new UserError(
      `another run changed the state of stack "${stack.name}" while this one completed it after an interruption; nothing of it was overwritten`,
      "run the command again when the other run has ended",
    );
  }
  await importState(stack, { ...state, deployment: { ...state.deployment, pending_operations: [], resources } });
}

/**
 * Repairs the files of a backend after an interrupted deployment. The newest backup replaces a state file that is not valid JSON, e.g. truncated when
 * the machine lost its power: the engine keeps the previous state next to it, and one for each completed run. Attributes (`*.attrs`) that are not valid
 * JSON are deleted: the engine does not write them atomically, fails with "EOF" on an empty file, and they contain a content type only.
 * @param backend folder of the engine's backend; undefined for a backend without such files
 * @throws Error when no backup is valid
 */
export async function restoreState(backend: string | undefined, stack: string): Promise<void> {
  if (backend === undefined) return;
  const folder = join(backend, ".pulumi");
  await deleteBrokenAttributes(folder);
  const file = join(folder, "stacks", PROJECT_NAME, `${stack}.json`);
  if (!existsSync(file) || isValid(file)) return;
  const older = join(folder, "backups", PROJECT_NAME, stack);
  const backups = (existsSync(older) ? readdirSync(older) : []).filter((name) => name.endsWith(".json")).sort();
  const candidates = [`${file}.bak`, ...backups.reverse().map((name) => join(older, name))];
  const valid = candidates.find((candidate) => existsSync(candidate) && isValid(candidate));
  if (valid === undefined) {
    throw new Error(
      `the state of stack "${stack}" in ${file} is damaged, and so is every backup of the engine. Restore the file from your own backup.`,
    );
  }
  await copyFile(valid, file);
}

async function deleteBrokenAttributes(folder: string): Promise<void> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const files = names.filter((name) => name.endsWith(".attrs")).map((name) => join(folder, name));
  for (const file of files) if (!isValid(file)) await rm(file, { force: true });
}

function isValid(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, "utf8"));
    return true;
  } catch {
    return false;
  }
}

/** Imports a state through a pipe: a file could remain, and secrets may be in plain text until the engine encrypts them. */
async function importState(stack: Stack, state: State): Promise<void> {
  await pulumi(stack, ["stack", "import"], JSON.stringify(state));
}

function pulumi({ name, workspace }: Stack, args: readonly string[], input?: string): Promise<string> {
  const { pulumiCommand, workDir, envVars } = workspace;
  const options = { cwd: workDir, env: { ...process.env, ...envVars } };
  return runPulumi(pulumiCommand.command, [...args, "--stack", name], options, input);
}
