import { Command, CommanderError } from "commander";
import { UserError } from "../../config/errors/userError.ts";
import { type CommandName, DESCRIPTIONS } from "./descriptions.ts";
import type { Shell } from "./shell.ts";

/**
 * Runs one command.
 * @param args what follows its name
 * @param define adds arguments, options and an action, which passes the exit code to `end`; default: 0
 * @returns the exit code: that of the action; 0 for help; 2 for a wrong command line, and for what the user has to fix first
 * @throws any other error of the action
 */
export async function runCommand(
  name: CommandName,
  args: readonly string[],
  shell: Pick<Shell, "out" | "error" | "inspect">,
  define: (command: Command, end: (code: number) => void) => void,
): Promise<number> {
  let code = 0;
  const command = new Command(`gatehouse ${name}`)
    .description(DESCRIPTIONS[name])
    .configureOutput({ writeOut: shell.out, writeErr: shell.error })
    .exitOverride();
  define(command, (ended) => void (code = ended));
  if (shell.inspect) {
    shell.inspect(command);
    return 0;
  }
  try {
    await command.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof UserError)) throw error;
    shell.error(`${error.message}\n`);
    return 2;
  }
}

/** Collects the values of an option that may be repeated. */
export function append(value: string, list: readonly string[] = []): string[] {
  return [...list, value];
}
