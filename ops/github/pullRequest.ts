/** What a pull request changes in the stack files, read as data over GitHub's API: nothing of it is checked out or run. */
import { parseStackFile } from "../../config/load.ts";
import type { Version } from "../diff/versions.ts";
import type { GitHub } from "./github.ts";

/** The part of a `workflow_run` event that says whose run it was (docs.github.com, "Webhook events and payloads"). */
export interface WorkflowRun {
  readonly head_sha: string;
  readonly head_branch: string;
  readonly html_url: string;
  readonly head_repository: { readonly full_name: string; readonly owner: { readonly login: string } };
}
interface Pull {
  readonly number: number;
  readonly head: { readonly sha: string };
  readonly base: { readonly sha: string };
}

/** The open pull request whose newest commit was run; undefined when there is none, or a newer commit has its own run. */
export async function pullRequestOf(github: GitHub, run: WorkflowRun): Promise<Pull | undefined> {
  const head = encodeURIComponent(`${run.head_repository.owner.login}:${run.head_branch}`);
  const pulls = await github.list<Pull>(`/pulls?state=open&head=${head}`);
  return pulls.find((pull) => pull.head.sha === run.head_sha);
}

/** The stack files where the pull request began, and as it wants them. */
export async function versionsOf(github: GitHub, { base, head }: Pull): Promise<{ base: Version; head: Version }> {
  const { merge_base_commit } = await github.get<{ merge_base_commit: { sha: string } }>(
    `/compare/${base.sha}...${head.sha}`,
  );
  return { base: await versionAt(github, merge_base_commit.sha), head: await versionAt(github, head.sha) };
}

async function versionAt(github: GitHub, commit: string): Promise<Version> {
  const entries = await github.get<{ name: string; type: string }[]>(`/contents/?ref=${commit}`);
  const texts = new Map<string, string>();
  for (const { name, type } of entries) {
    const stack = /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1];
    if (stack === undefined || type !== "file") continue;
    texts.set(stack, await github.text(`/contents/${encodeURIComponent(name)}?ref=${commit}`));
  }
  return {
    stacks: [...texts.keys()].sort(),
    read: (stack) => parseStackFile(texts.get(stack) ?? "", stack, `Pulumi.${stack}.yaml`),
  };
}
