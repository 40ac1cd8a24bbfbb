import { Command } from "commander";

/**
 * Returns the options of this process's command line. Ends the process with 0 after `--help`, and with 2 for a wrong command line.
 * @param script how the user runs it, e.g. `npm start --`
 * @param describe adds the description and options
 */
export function parseOptions<T extends object>(script: string, describe: (command: Command) => Command): T {
  const exit = ({ exitCode }: { exitCode: number }): never => process.exit(exitCode === 0 ? 0 : 2);
  return describe(new Command(script).exitOverride(exit)).parse().opts<T>();
}
