/** `gatehouse COMMAND`: every command of Gatehouse. Each is loaded only when it is named: some take a second to load. */
import { createRequire } from "node:module";
import { homeFolder } from "../../config/files/folders.ts";
import { ignoreClosedOutput } from "../terminal/closedOutput.ts";
import type { Loader } from "./completion.ts";
import { type CommandName, DESCRIPTIONS } from "./descriptions.ts";
import { processShell, type Shell } from "./shell.ts";

const LOADERS: Readonly<Record<CommandName, Loader>> = {
  audit: () => import("./audit.ts"),
  completion: () => import("./completion.ts"),
  contract: () => import("./contract.ts"),
  deploy: () => import("./deploy.ts"),
  diagnose: () => import("./diagnose.ts"),
  diff: () => import("./diff.ts"),
  doctor: () => import("./doctor.ts"),
  import: () => import("./import.ts"),
  init: () => import("./init.ts"),
  plan: () => import("./plan.ts"),
  preview: () => import("./preview.ts"),
  verify: () => import("./verify.ts"),
};
const COMMANDS = new Map<string, Loader>(Object.entries(LOADERS));

const LINES = Object.entries(DESCRIPTIONS).map(([name, description]) => `  ${name.padEnd(10)}  ${description}\n`);
const USAGE = `Usage: gatehouse COMMAND [ARGUMENT...]

${LINES.join("")}
To see the arguments of a command: gatehouse COMMAND --help
`;

/**
 * Runs a command.
 * @param args the name of a command, and its own arguments
 * @returns the exit code: 0; 1 when something is not as it must be; 2 for a wrong command line, and for what the user has to fix first
 */
export async function main([name, ...args]: readonly string[], shell: Shell): Promise<number> {
  if (name === "complete") return (await import("./completion.ts")).complete(args, shell, COMMANDS);
  const load = COMMANDS.get(name ?? "");
  if (load !== undefined) return (await load()).main(args, shell);
  if (name === "--version") {
    const { version } = createRequire(import.meta.url)("gatehouse/package.json") as { readonly version: string };
    shell.out(`${version}\n`);
    return 0;
  }
  const isHelp = name === "--help" || name === "-h";
  (isHelp ? shell.out : shell.error)(USAGE);
  return isHelp ? 0 : 2;
}

/** Runs the command line of this process, and ends it. */
export async function run(): Promise<void> {
  // Packages of the engine fail without a home when they are loaded.
  process.env["HOME"] ||= homeFolder();
  const outputError = ignoreClosedOutput();
  const code = await main(process.argv.slice(2), processShell());
  // A connection to a server that does not answer would keep the process.
  process.stdout.write("", () =>
    // The stream emits its error after this callback.
    setImmediate(() => {
      const failed = outputError();
      if (failed === undefined) process.exit(code);
      const text = `standard output is incomplete (${failed}); free disk space, and run the command again\n`;
      process.stderr.write(text, () => process.exit(code === 0 ? 1 : code));
    }),
  );
}

if (import.meta.main) await run();
