/** Finds the stack of a cluster context, and reads it without the engine. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseStack, type RawStack, readStackFile } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import type { Environment } from "../../config/variables.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { ContextError } from "./contextError.ts";
import { configOf, readLocalContext } from "./local.ts";

/** The shell of a command. */
export interface ShellEnvironment {
  /** Folder of the stack files. */
  readonly project: string;
  /** Data folder of the local platform. */
  readonly data: string;
  readonly environment: Environment;
}

/** The stack of a context. */
export interface StackContext {
  readonly context: string;
  readonly stack: string;
  /** Configuration of the stack; for the local platform with the ports of its start. */
  readonly raw: RawStack;
  /** Environment of the shell; for the local platform with the values of its start. */
  readonly environment: Environment;
  readonly settings: Settings;
  readonly plan: Plan;
  /** The embedded platform of `npm start`. */
  readonly local: boolean;
}

/**
 * Finds the stack whose `kubernetes:context` is the named one.
 * @throws ContextError for a context without a stack, with the known contexts, or with two; ConfigError for an invalid stack file
 */
export function openContext(name: string, shell: ShellEnvironment): StackContext {
  const all = knownContexts(shell.project);
  const found = all.filter(({ context }) => context === name);
  const [one] = found;
  if (one === undefined) {
    const hint = `To add it, set kubernetes:context: ${name} in the stack file of that cluster.`;
    throw new ContextError(`no stack belongs to context "${name}".\n${listContexts(shell.project)}\n${hint}`);
  }
  if (found.length > 1) {
    const stacks = found.map(({ stack }) => `Pulumi.${stack}.yaml`).join(" and ");
    throw new ContextError(
      `context "${name}" is in ${stacks}, but a cluster has one stack. Give each stack its own context.`,
    );
  }
  return openStackFile(one, shell);
}

/** Returns every stack file with a context, by the stack's name. */
export function knownContexts(project: string): { context: string; stack: string }[] {
  const names = readdirSync(project).flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []);
  return names.sort().flatMap((stack) => {
    const raw = readStackFile(join(project, `Pulumi.${stack}.yaml`), stack).config["kubernetes:context"];
    return raw && "value" in raw && typeof raw.value === "string" ? [{ context: raw.value, stack }] : [];
  });
}

/** Returns the contexts of all stack files as text. */
export function listContexts(project: string): string {
  const known = knownContexts(project).map(({ context, stack }) => `  ${context} (stack ${stack})`);
  return known.length > 0 ? `Known contexts:\n${known.join("\n")}` : "No stack file has kubernetes:context.";
}

function openStackFile({ context, stack }: { context: string; stack: string }, shell: ShellEnvironment): StackContext {
  const started = readLocalContext(shell.data);
  const local = started?.context === context && started.stack === stack ? started : undefined;
  const file = readStackFile(join(shell.project, `Pulumi.${stack}.yaml`), stack);
  const raw = { ...file, config: { ...file.config, ...configOf(local) } };
  const environment = { ...shell.environment, ...local?.environment };
  const settings = parseStack(raw, environment, { secretsRequired: false });
  return { context, stack, raw, environment, settings, plan: computePlan(settings), local: local !== undefined };
}
