/** `npx gatehouse diff`: who and what gains or loses access between two versions of the configuration. Needs no engine, no cluster and no secret. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../config/errors/userError.ts";
import { append, runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { templateVariables } from "../context/ci.ts";
import { stackOf } from "../context/stackFiles.ts";
import { composeComment } from "../checks/diff/comment.ts";
import { compareVersions, type StackDiff } from "../checks/diff/compare.ts";
import { type Block, previewBlock, stackBlocks, UNCHANGED } from "../checks/diff/markdown.ts";
import { describeChanges, describeRefused, opensToPublic } from "../checks/diff/report.ts";
import { isRevision, revision, stackFile, type Version, workingTree } from "../checks/diff/versions.ts";
import type { Paint } from "../terminal/paint.ts";
import { jsonText } from "../text.ts";

interface Options {
  readonly head?: string;
  readonly stack?: readonly string[];
  readonly markdown?: true;
  readonly json?: true;
  readonly allowPublic?: true;
  readonly restUrl?: string;
  readonly preview?: string;
}

/**
 * Runs the command.
 * @returns the exit code: 0, 1 when something is opened to the public without --allow-public, 2 for a wrong command line or configuration
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("diff", args, shell, (command, end) =>
    command
      .usage("[options] BASE")
      .argument("<base>", "the version to compare with: a revision of git, or the path of a stack file")
      .option("--head <revision>", "compare that revision with it, instead of the working tree")
      .option(
        "--stack <stack>",
        "only this one; may be repeated; default: all that have a file in one of the versions",
        append,
      )
      .option("--markdown", "print a comment for a pull request")
      .option("--json", "print all statements as JSON, including implied ones")
      .option("--allow-public", "exit with 0 even if something is opened to the public")
      .option("--rest-url <url>", "with --markdown: link to the complete output, if the comment is cut")
      .option(
        "--preview <file>",
        "with --markdown: add the output of npx gatehouse preview; a missing file is left out",
      )
      .action((base: string, options: Options) => end(compare(base, options, shell))),
  );
}

function compare(base: string, options: Options, shell: Shell): number {
  if (options.markdown && options.json)
    throw new UserError("--markdown and --json exclude each other", "leave one out");
  const { before, stacks } = baseOf(base, options, shell);
  const after = options.head === undefined ? workingTree(shell.project) : revision(shell.project, options.head);
  const missing = stacks?.filter((stack) => !before.stacks.includes(stack) && !after.stacks.includes(stack)) ?? [];
  if (missing.length > 0) {
    throw new UserError(`no version has a file for ${missing.join(", ")}`, `name one of ${after.stacks.join(", ")}`);
  }
  const diffs = compareVersions(before, after, templateVariables(shell.environment), stacks);
  shell.out(outputOf(base, diffs, options, shell));
  if (diffs.some(({ problems }) => problems !== undefined)) return 2;
  return !options.allowPublic && diffs.some(({ changes }) => opensToPublic(changes)) ? 1 : 0;
}

/**
 * Returns the base, and its stacks: a file is the base of the stack of its name, or of the one given by --stack. A name without the ending of a
 * stack file is a revision only: a pull request can add a file with any name, such as `HEAD^1`, which must not replace the base of its access diff.
 */
function baseOf(
  base: string,
  { stack }: Options,
  shell: Shell,
): { before: Version; stacks: readonly string[] | undefined } {
  const path = resolve(shell.folder, base);
  if (!/\.ya?ml$/.test(base) || !statSync(path, { throwIfNoEntry: false })?.isFile())
    return { before: revision(shell.project, base), stacks: stack };
  if (isRevision(shell.project, base)) {
    throw new UserError(
      `"${base}" is both a revision of git and a file`,
      `for the revision, pass its commit (git rev-parse ${base}); for the file, pass ./${base}`,
    );
  }
  const [name = stackOf(path), ...others] = stack ?? [];
  if (others.length > 0) throw new UserError("a file is the base of one stack", "pass one name with --stack");
  return { before: stackFile(path, name), stacks: [name] };
}

function outputOf(
  base: string,
  diffs: readonly StackDiff[],
  { json, markdown, restUrl, preview, allowPublic }: Options,
  shell: Shell,
): string {
  if (json) return jsonText({ base, stacks: diffs.map(toJson) });
  if (markdown)
    return composeComment([...accessBlocks(diffs, restUrl), ...previewBlocks(preview, shell.folder)], restUrl);
  const hint = diffs.some(({ changes }) => opensToPublic(changes)) && !allowPublic;
  const parts = diffs.map((diff) => describe(diff, shell.paint));
  return [...parts, ...(hint ? ["If this is intended, pass --allow-public."] : [])].join("\n\n") + "\n";
}

/** Returns the blocks of stacks with a change: a repository can have many without. */
function accessBlocks(diffs: readonly StackDiff[], restUrl: string | undefined): Block[] {
  const changed = diffs.filter(
    ({ changes, refused, problems }) => problems !== undefined || changes.length + refused.length > 0,
  );
  return changed.length > 0 ? changed.flatMap((diff) => stackBlocks(diff, restUrl)) : [UNCHANGED];
}

function previewBlocks(file: string | undefined, folder: string): Block[] {
  if (file === undefined) return [];
  const path = resolve(folder, file);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? [previewBlock(readFileSync(path, "utf8"))] : [];
}

function toJson({ stack, changes, refused, problems, baseProblems }: StackDiff): unknown {
  return { stack, opensToPublic: opensToPublic(changes), problems, baseProblems, refused, changes };
}

function describe({ stack, changes, refused, problems, baseProblems }: StackDiff, paint: Paint): string {
  if (problems !== undefined) return `Stack ${stack}\n\n${paint("red", problems)}`;
  const base =
    baseProblems === undefined ? [] : [`The base is not valid, so everything reads as new:\n${baseProblems}`];
  return [`Stack ${stack}`, ...base, ...describeRefused(refused, paint), describeChanges(changes, paint)].join("\n\n");
}
