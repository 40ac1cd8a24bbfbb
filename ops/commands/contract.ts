/** `npx gatehouse contract`: compares the columns of a database with the stack's contract, and accepts a new one. */
import type { Command } from "commander";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { acceptAll, checkAcceptable } from "../checks/contract/acceptance.ts";
import { type Comparison, compareSchemas, isBreaking } from "../checks/contract/comparison.ts";
import { dataApiOf, databaseOf, ownDatabase } from "../clients/databaseAddress.ts";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";
import { LockFolder } from "../checks/contract/lockFolder.ts";
import { describeComparison } from "../checks/contract/report.ts";
import { UnreachableError, withDatabase } from "../clients/database.ts";
import { readStack } from "../context/context.ts";
import { stacksIn } from "../context/stackFiles.ts";
import { jsonText } from "../text.ts";

const REACHABLE =
  "start it (npm start for the local one), or pass an address that this machine can reach with --database-url-from";

interface Options {
  readonly schema?: string;
  readonly databaseUrlFrom?: string;
  readonly json?: true;
  readonly breaking?: string;
}

/**
 * Runs the command.
 * @returns the exit code: 0, 1 when something breaks clients, 2 for a wrong command line or configuration or an unreachable database
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("contract", args, shell, (command, end) => {
    shared(command.command("check"), "Compare the schemas with their lock files. Exit with 1 for a breaking change.")
      .option("--json", "print the result as JSON")
      .action(async (stack: string | undefined, options: Options) =>
        end(await check(stack ?? onlyStack(shell), options, shell)),
      );
    shared(command.command("accept"), "Write the current schemas to their lock files and to the changelog.")
      .option("--breaking <reason>", "accept breaking changes as well; the reason is written to the changelog")
      .action(async (stack: string | undefined, options: Options) =>
        end(await accept(stack ?? onlyStack(shell), options, shell)),
      );
  });
}

function shared(command: Command, description: string): Command {
  return command
    .description(description)
    .argument("[stack]", "the part between Pulumi. and .yaml; by default that of the only stack file")
    .option("--schema <name>", "only this one, instead of the default schema and all that have a lock file")
    .option("--database-url-from <variable>", "environment variable with the URL of another database than the stack's");
}

/** Returns the only stack of the project. @throws UserError unless the project has one stack file */
function onlyStack({ project }: Shell): string {
  const stacks = stacksIn(project);
  const [only, ...others] = stacks;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new UserError(`no file Pulumi.<stack>.yaml in ${project}`, "run: npx gatehouse init");
  throw new UserError(`name a stack: ${stacks.join(", ")}`);
}

async function check(stack: string, options: Options, shell: Shell): Promise<number> {
  const results = await compareAll(stack, options, shell);
  const breaks = results.some(isBreaking);
  if (options.json) shell.out(jsonText(toJson(stack, !breaks, results)));
  else for (const result of results) shell.out(describe(stack, options, result, shell));
  return breaks ? 1 : 0;
}

/** Writes all or nothing: one schema that breaks without a reason stops the others too. Prints breaking changes also when they are accepted. */
async function accept(stack: string, options: Options, shell: Shell): Promise<number> {
  const reason = options.breaking;
  if (reason?.trim() === "") throw new UserError("--breaking: the reason is empty", "it is written to the changelog");
  const results = await compareAll(stack, options, shell);
  const breaking = results.filter(isBreaking).length;
  const isAccepted = breaking === 1 && reason !== undefined;
  for (const result of breaking > 0 ? results : []) {
    shell.out(isAccepted ? describeComparison(result, shell.paint) : describe(stack, options, result, shell));
  }
  if (breaking > 0 && reason === undefined) return 1;
  checkAcceptable(results, reason);
  const day = shell.now().toISOString().slice(0, 10);
  for (const line of acceptAll(new LockFolder(shell.project, stack), results, day, reason)) shell.out(line);
  return 0;
}

async function compareAll(stack: string, options: Options, shell: Shell): Promise<Comparison[]> {
  const values = readStack(stack, shell);
  const { exposed } = dataApiOf(values);
  const folder = new LockFolder(shell.project, stack);
  const locks = chooseSchemas(folder, exposed, options.schema).map((schema) => folder.read(schema));
  const { databaseUrlFrom: variable } = options;
  const address = variable === undefined ? ownDatabase(values) : databaseOf(variable, shell.environment);
  return withDatabase(address, (client) =>
    compareSchemas(client, locks, exposed).catch((error: unknown) => {
      const { database, host, port } = address;
      throw new UserError(`cannot read database ${database} on ${host}:${port}: ${errorText(error)}`);
    }),
  ).catch((error: unknown) => {
    throw error instanceof UnreachableError ? new UserError(error.message, REACHABLE) : error;
  });
}

function chooseSchemas(folder: LockFolder, exposed: readonly string[], wanted: string | undefined): string[] {
  if (wanted === undefined) return folder.schemasOf(exposed);
  const known = [...new Set([...exposed, ...folder.locked()])];
  if (known.includes(wanted)) return [wanted];
  throw new UserError(`--schema "${wanted}" is not exposed`, `name one of ${known.join(", ")}`);
}

function toJson(stack: string, ok: boolean, results: readonly Comparison[]): unknown {
  const schemas = results.map(({ schema, exposed, file, changes }) => {
    return { schema, exposed, lock: changes ? file : null, changes: changes ?? [] };
  });
  return { stack, ok, schemas };
}

/** Returns the changes of a schema, and what to do about them. */
function describe(stack: string, { databaseUrlFrom }: Options, result: Comparison, { paint }: Shell): string {
  const { schema, exposed, file, changes } = result;
  const from = databaseUrlFrom === undefined ? "" : ` --database-url-from ${databaseUrlFrom}`;
  const again = `npx gatehouse contract accept ${stack} --schema ${schema}${from}`;
  if (changes === undefined) return `${schema}: no contract yet. To accept the current columns:\n  ${again}\n`;
  if (exposed && changes.length === 0) return `${schema}: no changes to ${file}\n`;
  const hint = isBreaking(result)
    ? `Restore these, or serve the new columns as another schema (docs/versioning.md). Once clients have agreed:\n  ${again} --breaking REASON`
    : `To accept these as well:\n  ${again}`;
  return `${describeComparison(result, paint)}${hint}\n`;
}
