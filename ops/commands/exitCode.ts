import { CommanderError } from "commander";
import { ConfigError } from "../../config/problems.ts";
import { ContextError } from "../context/contextError.ts";

type Kind = abstract new (...args: never[]) => Error;

/**
 * Prints an expected error, and returns the exit code of a command.
 * @param expected errors whose message is complete. Default: those of configuration and context
 * @param code the exit code for one of them. Default: 2, nothing was done
 * @returns the exit code; 0 for help, 2 for a wrong command line, which Commander has reported
 * @throws any other error
 */
export function exitCodeFor(
  error: unknown,
  shell: { readonly error: (text: string) => void },
  expected: readonly Kind[] = [ConfigError, ContextError],
  code = 2,
): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof Error && expected.some((kind) => error instanceof kind))) throw error;
  shell.error(`${error.message}\n`);
  return code;
}
