/** `gatehouse completion SHELL`: the script that completes command lines in a shell. It calls `gatehouse complete`. */
import { type Complete, RootCommand } from "@bomb.sh/tab";
import { Argument, type Command } from "commander";
import { knownContexts } from "../context/context.ts";
import { stacksIn } from "../context/stackFiles.ts";
import { runCommand } from "./command.ts";
import { DESCRIPTIONS } from "./descriptions.ts";
import type { Shell } from "./shell.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** Loads the module of a command. */
export type Loader = () => Promise<{
  readonly main: (args: readonly string[], shell: Shell) => Promise<number>;
}>;

/** Runs the command. @returns the exit code: 0, 2 for another shell */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("completion", args, shell, (command) =>
    command
      .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
      .action((name: string) => new RootCommand().setup("gatehouse", "gatehouse", name)),
  );
}

/**
 * Prints the completions of a command line, as the script expects them.
 * @returns the exit code, always 0
 */
export async function complete(
  args: readonly string[],
  shell: Shell,
  commands: ReadonlyMap<string, Loader>,
): Promise<number> {
  const words = args[0] === "--" ? args.slice(1) : args;
  const root = new RootCommand();
  for (const [name, description] of Object.entries(DESCRIPTIONS)) root.command(name, description);
  const load = words.length > 1 ? commands.get(words[0] ?? "") : undefined;
  const inspect = (command: Command): void => add(root, words[0] ?? "", command, shell);
  // Not a copy: outside of a project, reading the shell's project fails.
  await (await load?.())?.main([], Object.create(shell, { inspect: { value: inspect } }) as Shell);
  root.parse([...words]);
  return 0;
}

/** Adds the definition of a command and of its subcommands. */
function add(root: RootCommand, name: string, command: Command, shell: Shell): void {
  const target = root.command(name, command.description());
  for (const { long, description, required, optional } of command.createHelp().visibleOptions(command)) {
    const flag = long?.replace(/^--/, "") ?? "";
    if (required || optional) target.option(flag, description, valuesOf(flag, shell));
    else target.option(flag, description);
  }
  for (const argument of command.registeredArguments) {
    target.argument(argument.name(), valuesOf(argument.name(), shell, argument.argChoices), argument.variadic);
  }
  for (const inner of command.commands) add(root, `${name} ${inner.name()}`, inner, shell);
}

/** Returns the values of an argument or option with this name. */
function valuesOf(name: string, shell: Shell, choices: readonly string[] = []): (print: Complete) => void {
  return (print) => {
    for (const value of [...choices, ...projectValues(name, shell)]) print(value, "");
  };
}

/** Returns values of the project; none in a folder without one. */
function projectValues(name: string, shell: Shell): readonly string[] {
  try {
    if (name === "context") return knownContexts(shell.project).flatMap(({ names }) => names);
    return name === "stack" ? stacksIn(shell.project) : [];
  } catch {
    return [];
  }
}
