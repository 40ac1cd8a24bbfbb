import type { Command } from "commander";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { commandEnvironment } from "../context/ci.ts";
import type { ShellEnvironment } from "../context/context.ts";
import { type Paint, painterOf } from "../terminal/paint.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { projectFolder } from "../../config/files/folders.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { dataFolder } from "../toolchain/paths.ts";

/** What a command uses of the process that it runs in. */
export interface Shell extends ShellEnvironment {
  /** Folder that a path of the command line is relative to. */
  readonly folder: string;
  /** Formats text for standard output; unchanged unless that is a terminal with colours. */
  readonly paint: Paint;
  readonly now: () => Date;
  readonly progress: Progress;
  /**
   * Asks the user. The answer is undefined after Ctrl-C and Ctrl-D, and when `interrupted` aborts. There is no function if standard input or standard error is
   * not a terminal.
   */
  readonly ask: ((question: string, interrupted?: AbortSignal) => Promise<string | undefined>) | undefined;
  /** Takes over SIGINT and SIGTERM. The signal aborts when the user interrupts the command. */
  readonly interruption: () => AbortSignal;
  /** Receives the definition of the command, which then does not run: for completion. */
  readonly inspect?: (command: Command) => void;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Returns the shell of this process. @throws UserError when `project` or `environment` is read and cannot be determined */
export function processShell(): Shell {
  return {
    // Only a command that needs the project fails without one.
    get project() {
      return projectFolder();
    },
    data: dataFolder(),
    // Fails for variables of the repository that are no JSON.
    get environment() {
      return commandEnvironment(process.env);
    },
    folder: commandFolder(process.env, process.cwd()),
    paint: painterOf(process.stdout),
    now: () => new Date(),
    progress: createProgress(),
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    interruption,
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  };
}

/**
 * Returns the folder that paths of the command line are relative to. `npm run` and `./deploy` change to the folder of the package.json, and note the previous
 * one in INIT_CWD. A script of npm that changes to another folder inherits that variable, where it has no meaning.
 * @param current working directory
 */
export function commandFolder(environment: Environment, current: string): string {
  const { INIT_CWD: started, npm_package_json: manifest } = environment;
  return started !== undefined && manifest !== undefined && dirname(manifest) === current ? started : current;
}

async function ask(question: string, interrupted?: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal: interrupted });
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    process.stderr.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}

/** Returns a signal that is aborted by SIGINT or SIGTERM, with that name as its reason. */
function interruption(): AbortSignal {
  const abort = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => abort.abort(name));
  return abort.signal;
}
