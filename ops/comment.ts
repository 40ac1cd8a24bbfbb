/** `npm run comment`: the access diff and the preview of a pull request as one comment, which is updated when the pull request is. */
import { existsSync, readFileSync } from "node:fs";
import { Command } from "commander";
import { commandEnd } from "./commandEnd.ts";
import { type Block, fence } from "./diff/markdown.ts";
import { composeComment, markerOf } from "./diff/comment.ts";
import { compareVersions } from "./diff/compare.ts";
import { stackBlocks } from "./diff/markdown.ts";
import { templateVariables } from "./diff/variables.ts";
import { accountOf, GitHub, GitHubError } from "./github/github.ts";
import { pullRequestOf, versionsOf, type WorkflowRun } from "./github/pullRequest.ts";

/** What the command uses of the process that it runs in. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

const MARKER = markerOf("pull-request");

/**
 * Reads the `workflow_run` event at GITHUB_EVENT_PATH.
 * @param args `[--preview FILE]`
 * @returns the exit code: 0, 1 when GitHub refuses, 2 for a wrong command line
 */
export async function main(args: readonly string[], shell: Shell): Promise<number> {
  const command = new Command("comment")
    .description("Write what a pull request changes into its comment. See docs/ci.md.")
    .option("--preview <file>", "what npm run preview printed for it; a file that is not there is left out")
    .configureOutput({ writeOut: shell.out, writeErr: shell.error })
    .exitOverride()
    .action(async ({ preview }: { preview?: string }) => comment(preview, shell));
  try {
    await command.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return commandEnd(error, shell, [GitHubError], 1);
  }
}

async function comment(preview: string | undefined, shell: Shell): Promise<void> {
  const { environment } = shell;
  const github = new GitHub(accountOf(environment));
  const run = runOf(environment["GITHUB_EVENT_PATH"]);
  const pull = await pullRequestOf(github, run);
  if (pull === undefined) return shell.out("No open pull request ends with that commit; nothing to say.\n");
  const { base, head } = await versionsOf(github, pull);
  const diffs = compareVersions(base, head, templateVariables(environment));
  const changed = diffs.filter(({ changes, problems }) => problems !== undefined || changes.length > 0);
  const blocks = [
    ...(changed.length > 0 ? changed.flatMap(stackBlocks) : [NOTHING]),
    // A fork's run has no cluster to look at, so what it says of one is made up.
    ...(run.head_repository.full_name === environment["GITHUB_REPOSITORY"] ? previewBlocks(preview) : []),
  ];
  shell.out(await put(github, pull.number, composeComment(MARKER, blocks, run.html_url)));
}

function runOf(path: string | undefined): WorkflowRun {
  if (!path) throw new GitHubError("GITHUB_EVENT_PATH: not set; run this in a workflow that workflow_run starts");
  const event = JSON.parse(readFileSync(path, "utf8")) as { workflow_run?: WorkflowRun };
  if (!event.workflow_run) throw new GitHubError("the event is no workflow_run; start the workflow by that");
  return event.workflow_run;
}

const NOTHING: Block = {
  head: "### Access\n\nNobody gains or loses access.\n",
  rows: [],
  foot: "",
  unit: ["statement", "statements"],
};

/** Its last lines go first when the comment is too long. */
export function previewBlocks(file: string | undefined): Block[] {
  if (file === undefined || !existsSync(file)) return [];
  const [open = "", ...rest] = fence(readFileSync(file, "utf8")).trimEnd().split("\n");
  const close = rest.pop() ?? "";
  const rows = rest.map((line) => ({ text: `${line}\n`, rank: 9 }));
  const head = `\n### Preview\n\n<details><summary>What a deployment would change</summary>\n\n${open}\n`;
  return [{ head, rows, foot: `${close}\n\n</details>\n`, unit: ["line", "lines"] }];
}

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly type: string };
}

/** Only a comment of a bot is ours: anybody may write the marker. */
async function put(github: GitHub, number: number, body: string): Promise<string> {
  const comments = await github.list<Comment>(`/issues/${number}/comments`);
  const own = comments.find((one) => one.user.type === "Bot" && one.body.startsWith(MARKER));
  if (own === undefined) {
    await github.write("POST", `/issues/${number}/comments`, { body });
    return `Commented on pull request ${number}.\n`;
  }
  if (own.body === body) return `The comment on pull request ${number} says so already.\n`;
  await github.write("PATCH", `/issues/comments/${own.id}`, { body });
  return `Updated the comment on pull request ${number}.\n`;
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2), {
    environment: process.env,
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
