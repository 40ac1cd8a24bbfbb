/** What of a context can be reached from this machine: its secrets, and its cluster. */
import type { KubeConfig } from "@kubernetes/client-node";
import { filledIn, secretTexts } from "../../../config/secretText.ts";
import type { SecretText } from "../../../config/settings.ts";
import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import { openEngine, secretVariables } from "../../engine/open.ts";
import { kubeConfigOf } from "../../context/kubeconfig.ts";
import type { Progress } from "../../terminal/progress.ts";
import { reasonOf } from "./check.ts";

/** The secrets of a stack, as far as they can be read here. */
export interface Reached {
  /** A text with its variables filled in; undefined when one of them is not known. */
  reveal(text: SecretText): string | undefined;
  /** All that are known, by the variable's name. */
  readonly known: Readonly<Record<string, string>>;
  /** Their values, to be taken out of what is printed. */
  readonly values: readonly string[];
  /** Why some are not known, in words; undefined when the stack file could be decrypted. */
  readonly problem: string | undefined;
}

/** Shorter values are no secrets, and stand in too many other words. */
const SHORTEST_SECRET = 6;

/** As a deployment reads them: an encrypted value of the stack file first, the shell's variable only if it cannot be decrypted here. */
export async function secretsOf(
  context: StackContext,
  shell: ShellEnvironment,
  progress: Progress,
  decrypt = decryptWithEngine,
): Promise<Reached> {
  const names = encryptedNames(context);
  const inShell = fromEnvironment(names, context.environment);
  if (context.local || names.length === 0) return reached(context, inShell, undefined);
  try {
    const decrypted = await progress.step("Reading the stack's secrets", () => decrypt(context, shell, progress));
    return reached(context, { ...inShell, ...decrypted }, undefined);
  } catch (error) {
    return reached(context, inShell, reasonOf(error).split("\n")[0]);
  }
}

async function decryptWithEngine(
  context: StackContext,
  shell: ShellEnvironment,
  progress: Progress,
): Promise<Readonly<Record<string, string>>> {
  return secretVariables(await openEngine(context, shell, () => Promise.resolve(), progress));
}

function encryptedNames({ raw }: StackContext): string[] {
  return Object.entries(raw.config).flatMap(([key, value]) =>
    key.startsWith("variables:") && "secret" in value ? [key.slice("variables:".length)] : [],
  );
}

function fromEnvironment(names: readonly string[], environment: StackContext["environment"]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

function reached({ raw, environment, settings }: StackContext, own: Record<string, string>, problem?: string): Reached {
  const inClear = (name: string): string | undefined => {
    const value = raw.config[`variables:${name}`];
    return value && "value" in value ? String(value.value) : undefined;
  };
  const valueOf = (name: string): string | undefined => own[name] ?? inClear(name) ?? environment[name];
  const names = new Set([...Object.keys(own), ...secretTexts(settings).flatMap(({ variables }) => variables)]);
  const pairs = [...names].flatMap((name): [string, string][] => {
    const value = valueOf(name);
    return value ? [[name, value]] : [];
  });
  return {
    reveal: (text) =>
      text.variables.every((name) => valueOf(name)) ? filledIn(text, (name) => valueOf(name) ?? "") : undefined,
    known: Object.fromEntries(pairs),
    values: pairs.map(([, value]) => value).filter(({ length }) => length >= SHORTEST_SECRET),
    problem,
  };
}

/** The context of the kubeconfig, or why there is none. */
export function clusterOf({ context, environment }: StackContext): KubeConfig | Error {
  try {
    return kubeConfigOf(context, environment);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
