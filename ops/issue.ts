/** `npm run issue`: what a nightly run found as one issue, which is opened, updated and closed as the findings come and go. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Command } from "commander";
import { commandEnd } from "./commandEnd.ts";
import { composeComment, markerOf } from "./diff/comment.ts";
import { type Block, code, fence } from "./diff/markdown.ts";
import { accountOf, GitHub, GitHubError } from "./github/github.ts";

/** What the command uses of the process that it runs in. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

interface Options {
  readonly failed?: readonly string[];
  readonly restUrl?: string;
}

/**
 * @param args `CONTEXT [--failed FILE...] [--rest-url URL]`
 * @returns the exit code: 0, 1 when GitHub refuses, 2 for a wrong command line
 */
export async function main(args: readonly string[], shell: Shell): Promise<number> {
  const command = new Command("issue")
    .description(
      "Keep one issue about a cluster: open while there are findings, closed when there are none. See docs/ci.md.",
    )
    .argument("<context>", "the context of the cluster")
    .option("--failed <file...>", "what a check that failed printed; the file's name says which; none = all is well")
    .option("--rest-url <url>", "where the rest is, when the issue must be cut")
    .configureOutput({ writeOut: shell.out, writeErr: shell.error })
    .exitOverride()
    .action(async (context: string, options: Options) => shell.out(await keep(context, options, shell)));
  try {
    await command.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return commandEnd(error, shell, [GitHubError], 1);
  }
}

interface Issue {
  readonly number: number;
  readonly body: string | null;
  readonly user: { readonly type: string };
  readonly pull_request?: unknown;
}

async function keep(context: string, { failed = [], restUrl }: Options, { environment }: Shell): Promise<string> {
  const github = new GitHub(accountOf(environment));
  const marker = markerOf(`nightly:${encodeURIComponent(context)}`);
  const issues = await github.list<Issue>("/issues?state=open");
  const own = issues.find((one) => !one.pull_request && one.user.type === "Bot" && one.body?.startsWith(marker));
  if (failed.length === 0) {
    if (own === undefined) return "Nothing was found, and no issue is open.\n";
    await github.write("PATCH", `/issues/${own.number}`, { state: "closed", state_reason: "completed" });
    return `Nothing was found any more: closed issue ${own.number}.\n`;
  }
  const body = composeComment(marker, failed.map(findingBlock), restUrl);
  if (own !== undefined) {
    await github.write("PATCH", `/issues/${own.number}`, { body });
    return `Updated issue ${own.number}.\n`;
  }
  const title = `${context} is not as it should be`;
  const { number } = await github.write<Issue>("POST", "/issues", { title, body });
  return `Opened issue ${number}.\n`;
}

/** What a check printed; its last lines are cut first. */
function findingBlock(file: string): Block {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [open = "", ...rest] = fence(text).trimEnd().split("\n");
  const close = rest.pop() ?? "";
  const head = `\n### ${code(basename(file).replace(/\.txt$/, ""))} failed\n\n${open}\n`;
  return {
    head,
    rows: rest.map((line) => ({ text: `${line}\n`, rank: 0 })),
    foot: `${close}\n`,
    unit: ["line", "lines"],
  };
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2), {
    environment: process.env,
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
