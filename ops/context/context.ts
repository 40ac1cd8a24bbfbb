/** Finds the stack of a cluster context, and reads it without the engine. */
import { join } from "node:path";
import { contextNames } from "../../infra/kubeConfig.ts";
import { CONTEXT_VARIABLE, contextName } from "../../infra/prerequisites/clusterIdentity.ts";
import { parseStack, type RawStack, readStackFile } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import { ConfigError } from "../../config/errors/problems.ts";
import { isSection } from "../../config/errors/location.ts";
import type { Environment, RawValue } from "../../config/variables/variables.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { UserError } from "../../config/errors/userError.ts";
import { configOf, readLocalContext } from "./local.ts";
import { stacksIn } from "./stackFiles.ts";

export interface ShellEnvironment {
  readonly project: string;
  readonly data: string;
  readonly environment: Environment;
}

export interface StackValues {
  readonly stack: string;
  /** Configuration of the stack; for the local platform with the ports of its start. */
  readonly raw: RawStack;
  /** Environment of the shell; for the local platform with the values of its start. */
  readonly environment: Environment;
  readonly settings: Settings;
  /** The embedded platform of `npm start`. */
  readonly local: boolean;
}

/** The stack of a context. */
export interface StackContext extends StackValues {
  /** Name of its cluster in the kubeconfig. */
  readonly context: string;
  /** Name of its cluster on the command line, for printed commands of Gatehouse: another stack can have the one in the kubeconfig, too. */
  readonly given: string;
  readonly plan: Plan;
  /** Why the UID of the cluster could not be compared with `gatehouse:cluster.uid`: nothing more is read from the cluster. */
  readonly notCompared?: UserError;
}

/**
 * Finds the stack of a cluster.
 * @param name its `kubernetes:context`, or another name in `gatehouse:cluster.contexts`. If the kubeconfig lacks it, another name of the same
 *   cluster that the kubeconfig contains is used.
 * @throws UserError for a context without a stack, with the known contexts, or with two; ConfigError for an invalid stack file
 */
export function openContext(name: string, shell: ShellEnvironment): StackContext {
  const found = stacksWith(name, shell.project);
  const [one] = found;
  if (one === undefined) {
    const hint = `To add it, set kubernetes:context: ${name} in the stack file of that cluster.`;
    throw new UserError(`no stack belongs to context "${name}".\n${listContexts(shell.project)}\n${hint}`);
  }
  if (found.length > 1) {
    const stacks = found.map(({ stack }) => `Pulumi.${stack}.yaml`).join(" and ");
    throw new UserError(`context "${name}" is in ${stacks}, but a cluster has one stack`, OWN_NAME);
  }
  return openStackFile(name, one.stack, shell);
}

const OWN_NAME = "use a name that only one stack has; gatehouse:cluster.contexts takes further names";

interface KnownStack {
  readonly stack: string;
  /** Every name of its cluster; the first is `kubernetes:context`. */
  readonly names: readonly string[];
  /** Whether it states the UID of its cluster. */
  readonly hasUid: boolean;
}

/** Returns the contexts of all stack files in a folder that can be read. */
export function knownContexts(project: string): KnownStack[] {
  return readContexts(project).known;
}

/**
 * Returns the stacks that have a context.
 * @throws ConfigError for a stack file that cannot be read, unless another one has the context and the UID of its cluster: otherwise, both can have it
 */
export function stacksWith(context: string, project: string): KnownStack[] {
  const { known, problem } = readContexts(project);
  const found = known.filter(({ names }) => names.includes(context));
  if (problem && !found.some(({ hasUid }) => hasUid)) throw problem;
  return found;
}

/** Returns the contexts of the stack files in a folder, and the error of the first one that cannot be read. */
function readContexts(project: string): { known: KnownStack[]; problem: ConfigError | undefined } {
  const known: KnownStack[] = [];
  let problem: ConfigError | undefined;
  for (const stack of stacksIn(project)) {
    try {
      known.push(...contextsOf(stack, project));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problem ??= error;
    }
  }
  return { known, problem };
}

/** Returns the contexts of a stack file, or none. @throws ConfigError for a file that is not YAML */
function contextsOf(stack: string, project: string): KnownStack[] {
  const { config } = readStackFile(join(project, `Pulumi.${stack}.yaml`), stack);
  const [context, cluster] = [valueOf(config["kubernetes:context"]), valueOf(config["gatehouse:cluster"])];
  if (typeof context !== "string") return [];
  // Checked when the file is opened.
  const { contexts, uid } = (isSection(cluster) ? cluster : {}) as { contexts?: unknown; uid?: unknown };
  const others = Array.isArray(contexts) ? contexts.filter((name) => typeof name === "string") : [];
  return [{ stack, names: [...new Set([context, ...others])], hasUid: uid !== undefined }];
}

/** Returns the contexts of all stack files as lines of a message. */
export function listContexts(project: string): string {
  const known = knownContexts(project).map(({ names, stack }) => `  ${names.join(", ")} (stack ${stack})`);
  return known.length > 0 ? `Known contexts:\n${known.join("\n")}` : "No stack file has kubernetes:context.";
}

/** Returns a value in clear of a stack file; undefined without one. */
export function valueOf(raw: RawValue | undefined): unknown {
  return raw && "value" in raw ? raw.value : undefined;
}

function openStackFile(name: string, stack: string, shell: ShellEnvironment): StackContext {
  const read = readStack(stack, shell);
  const { cluster } = read.settings;
  const known = cluster.contexts.length > 1 ? contextNames(read.environment) : [];
  const context = contextName(cluster, name, known) ?? name;
  const settings = { ...read.settings, context };
  const environment = { ...read.environment, [CONTEXT_VARIABLE]: context };
  return { ...read, context, given: name, environment, settings, plan: computePlan(settings) };
}

/**
 * Reads a stack file; that of the local platform with the ports and secrets of its start.
 * @throws ConfigError for an invalid stack file
 */
export function readStack(stack: string, shell: ShellEnvironment): StackValues {
  const file = readStackFile(join(shell.project, `Pulumi.${stack}.yaml`), stack);
  const started = readLocalContext(shell.data);
  const isStarted = started?.stack === stack && started.context === valueOf(file.config["kubernetes:context"]);
  const local = isStarted ? started : undefined;
  const raw = { ...file, config: { ...file.config, ...configOf(local) } };
  const environment = { ...shell.environment, ...local?.environment };
  const settings = parseStack(raw, environment, { secretsRequired: false });
  return { stack, raw, environment, settings, local: isStarted };
}

/**
 * Returns the value of a variable `${name}`: that in clear in the stack file, else that of the shell. Undefined if neither has it, and for an encrypted
 * one that the shell does not have.
 */
export function variableOf({ raw, environment }: StackValues, name: string): string | undefined {
  const own = raw.config[`variables:${name}`];
  return own && "value" in own ? String(own.value) : environment[name];
}

/** Returns the origin of a stack's authentik; undefined if the stack has none. */
export function authentikOrigin({ settings, plan }: Pick<StackContext, "settings" | "plan">): string | undefined {
  return settings.identityProvider.apiUrl ?? plan.identityProviderUrl;
}
