/** Runs the steps of the workflows on a sample pull request, whose comment is the sample in docs/ci.md. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openHealth } from "./clone.ts";
import { BOT, type GitHub } from "./gh.ts";
import { openRunner, RUN_URL } from "./runner.ts";

const root = join(import.meta.dirname, "..", "..");
const { clone, temp, readGitHub, changeGitHub, runStep } = openRunner();
const base = clone.git("rev-parse", "HEAD").trim();
const preview = join(temp, "preview", "preview.txt");
/** The commit that opens the path. */
let opening: string;
let head: string;

beforeAll(() => {
  mkdirSync(join(temp, "preview"));
  writeFileSync(preview, readFileSync(join(import.meta.dirname, "preview.txt")));
  clone.git("remote", "add", "origin", clone.folder);
  opening = openHealth(clone);
  head = opening;
  // GitHub merges the head into the newest commit of the base branch.
  clone.git("checkout", "--quiet", "--detach", "main");
  clone.git("merge", "--quiet", "--no-edit", head);
});
afterAll(() => rmSync(clone.folder, { recursive: true }));

/** Restores what GitHub has after the test. */
function restoreGitHub(): void {
  const state = readGitHub();
  onTestFinished(() => changeGitHub(() => state));
}

const LABELS =
  "github.event.action != 'synchronize' && contains(github.event.pull_request.labels.*.name, 'allow-public') && '--allow-public' || ''";

async function access(label: string) {
  const summary = join(temp, "summary.md");
  rmSync(summary, { force: true });
  const values = { [LABELS]: label, "toJSON(vars)": "{}" };
  const { code, error } = await runStep("pull-request.yml", "Report the access diff", values, {
    GITHUB_STEP_SUMMARY: summary,
  });
  return { code, error, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
}

/**
 * Runs the step that comments, for a run on the newest commit of pull request 7.
 * @param more open pull requests
 * @returns the bot's comments on it
 */
async function comment(sha = head, labels: readonly string[] = [], more: GitHub["pulls"] = []): Promise<string[]> {
  clone.git("update-ref", "refs/pull/7/head", head);
  const others = [6, 5].map((number) => ({ number, headRefOid: base, baseRefName: "main", labels: [] }));
  const own = { number: 7, headRefOid: head, baseRefName: "main", labels: labels.map((name) => ({ name })) };
  changeGitHub(() => ({ pulls: [...others, own, ...more] }));
  const done = await runStep("pull-request-comment.yml", "Comment", {
    "github.token": "a token",
    "github.event.workflow_run.head_sha": sha,
    "github.server_url": "https://github.com",
    "github.repository": "example/platform",
    "github.run_id": "1",
    "github.event.repository.default_branch": "main",
    "toJSON(vars)": "{}",
  });
  expect(done).toEqual({ code: 0, out: "", error: "" });
  const { comments } = readGitHub();
  const commented = [7, ...more.map(({ number }) => number)];
  expect(comments.filter(({ number }) => !commented.includes(number))).toEqual([]);
  return comments.filter(({ number, author }) => number === 7 && author === BOT).map(({ body }) => body);
}

function labels(): readonly string[] {
  const own = readGitHub().pulls.find(({ number }) => number === 7);
  return own?.labels.map(({ name }) => name) ?? [];
}

/** The last status of the head of the pull request. */
function lastStatus(): unknown {
  const [path, status] = readGitHub().statuses.at(-1) ?? [];
  expect(path).toBe(`repos/example/platform/statuses/${head}`);
  expect(status).toMatchObject({ context: "Access diff", target_url: RUN_URL });
  return [status?.["state"], status?.["description"]];
}

describe("a pull request that opens a path", () => {
  test("fails its check with the access diff in the summary, and passes with the label", async () => {
    const { code, error, summary } = await access("");
    expect([code, error]).toEqual([1, ""]);
    expect(summary).toContain("| `http://admin.localhost` | open to everyone, without a session: `/healthz` |");
    expect(summary).not.toContain("stack `dev`");
    expect(await access("--allow-public")).toEqual({ code: 0, error: "", summary });
  });

  test("gets one comment, equal to the sample in docs/ci.md", async () => {
    const others = [
      { number: 7, author: "eve", body: "### Access: stack `local`\n" },
      { number: 7, author: "ada", body: "Nice" },
    ];
    changeGitHub(() => ({ comments: others }));
    const [own] = await comment();
    // The first line is the compared version, which GitHub does not show.
    const docs = readFileSync(join(root, "docs", "ci.md"), "utf8");
    const shown = /<!-- begin sample -->\n([\s\S]*)<!-- end sample -->/.exec(docs)?.[1];
    const [first = "", ...rest] = (own ?? "").split("\n");
    expect(first).toMatch(new RegExp(`^<!-- ${head} main [0-9a-f]{64} -->$`));
    expect(rest.join("\n")).toBe(shown);
    expect(readGitHub().comments).toEqual([...others, { number: 7, author: BOT, body: own }]);
  });

  test("gets every statement in an artifact of the run that its own code cannot change", async () => {
    await comment();
    const complete = readFileSync(join(temp, "access", "7.txt"), "utf8");
    expect(complete).toContain("  ✖ http://admin.localhost\n      open to everyone, without a session: /healthz\n");
    expect(complete).toContain("Stack dev\n\nNo access changes.\n");
  });

  test("gets a status that its own code cannot change: a failure, or a success with the label", async () => {
    await comment();
    expect(lastStatus()).toEqual(["failure", "Opens something to the public"]);
    await comment(head, ["bug", "allow-public"]);
    expect(lastStatus()).toEqual(["success", "Opens to the public, with the label allow-public"]);
    expect(labels()).toEqual(["bug", "allow-public"]);
  });

  test("loses the label with a commit that its comment did not show, and passes when it is set again", async () => {
    const shown = head;
    restoreGitHub();
    onTestFinished(() => void (head = shown));
    clone.git("checkout", "--quiet", "--detach", head);
    head = clone.commit("Pulumi.local.yaml", (text) => text.replace("[/healthz]", "[/healthz, /more]"));
    clone.git("checkout", "--quiet", "main");
    await comment(head, ["bug", "allow-public"]);
    expect(lastStatus()).toEqual(["failure", "Opens something to the public"]);
    expect(labels()).toEqual(["bug"]);
    await comment(head, ["bug", "allow-public"]);
    expect(lastStatus()).toEqual(["success", "Opens to the public, with the label allow-public"]);
    // Back to a commit that was shown before.
    head = shown;
    await comment(head, ["allow-public"]);
    expect(lastStatus()).toEqual(["failure", "Opens something to the public"]);
    expect(labels()).toEqual([]);
  });

  test.each([
    ["with another base branch", (first: string) => first.replace(" main ", " other ")],
    ["when the base branch changes what it opens", (first: string) => first.replace(/[0-9a-f]{64}/, "0".repeat(64))],
  ])("loses the label %s", async (_, change) => {
    restoreGitHub();
    const [own = ""] = await comment();
    changeGitHub(() => ({ comments: [{ number: 7, author: BOT, body: change(own) }] }));
    await comment(head, ["allow-public"]);
    expect(lastStatus()).toEqual(["failure", "Opens something to the public"]);
    expect(labels()).toEqual([]);
  });

  test("does not pass with a label from before its first comment", async () => {
    restoreGitHub();
    const [own = ""] = await comment();
    changeGitHub(() => ({ comments: [{ number: 7, author: "eve", body: own }] }));
    await comment(head, ["allow-public"]);
    expect(lastStatus()).toEqual(["failure", "Opens something to the public"]);
    expect(labels()).toEqual([]);
  });

  test("gets a failure if a merge into the base branch opens what its own commits do not", async () => {
    restoreGitHub();
    const shown = head;
    onTestFinished(() => void (head = shown));
    clone.git("checkout", "--quiet", "-b", "enabled", base);
    clone.commit("Pulumi.dev.yaml", (text) =>
      text.replace(/(external:\n *enabled: )false(\n *base_domain: ).*/, "$1true$2example.org"),
    );
    clone.git("checkout", "--quiet", "--detach", base);
    const payroll =
      "    - { name: payroll, type: proxy, description: Payroll, domains: [external], application_slug: payroll, " +
      "service: { name: payroll, namespace: default, port: 80 }, public_paths: [/api] }\n";
    head = clone.commit("Pulumi.dev.yaml", (text) => text.replace("    - name: reports\n", `${payroll}$&`));
    clone.git("checkout", "--quiet", "main");
    clone.git("update-ref", "refs/pull/4/head", head);
    onTestFinished(() => void clone.git("branch", "--quiet", "--delete", "--force", "enabled"));
    await comment(head, [], [{ number: 4, headRefOid: head, baseRefName: "enabled", labels: [] }]);
    expect(
      readGitHub()
        .statuses.slice(-2)
        .map(([, { context, state }]) => [context, state]),
    ).toEqual([
      ["Access diff", "success"],
      ["Access diff (enabled)", "failure"],
    ]);
    const [own] = readGitHub().comments.filter(({ number }) => number === 4);
    expect(own?.body).toContain("`https://payroll.example.org`");
  });

  test("gets a status for each base branch, so that a base that contains the opening changes no other status", async () => {
    clone.git("branch", "opened", opening);
    clone.git("update-ref", "refs/pull/4/head", head);
    onTestFinished(() => void clone.git("branch", "--quiet", "--delete", "--force", "opened"));
    const before = readGitHub().statuses.length;
    // GitHub lists the oldest pull request last.
    await comment(head, [], [{ number: 4, headRefOid: head, baseRefName: "opened", labels: [] }]);
    const statuses = readGitHub().statuses.slice(before);
    expect(statuses.map(([, { context, state }]) => [context, state])).toEqual([
      ["Access diff", "failure"],
      ["Access diff (opened)", "success"],
    ]);
    changeGitHub(({ comments }) => ({ comments: comments.filter(({ number }) => number === 7) }));
  });

  test("gets its comment updated when its stack files change, without a checkout", async () => {
    clone.git("checkout", "--quiet", "open-health");
    head = clone.commit("Pulumi.local.yaml", (text) => text.replace("      public_paths: [/healthz]\n", ""));
    clone.git("checkout", "--quiet", "main");
    const before = clone.git("status", "--porcelain");
    const comments = await comment();
    expect(comments.map((body) => body.includes("`/healthz`"))).toEqual([false]);
    expect(lastStatus()).toEqual(["success", "Nothing opens to the public"]);
    expect(comments[0]).toContain("admits `staff` (allows `bob`, `reporter` and `verifier`)");
    expect(clone.git("status", "--porcelain")).toBe(before);
    expect(clone.git("rev-parse", "--abbrev-ref", "HEAD")).toBe("main\n");
  });

  test("gets the access diff without a preview if it is from a fork", async () => {
    rmSync(preview);
    const [own] = await comment();
    expect(own).toContain("admits `staff` (allows `bob`, `reporter` and `verifier`)");
    expect(own).not.toContain("### Preview");
  });

  test("keeps its comment when an older commit's run ends", async () => {
    const before = readGitHub().comments;
    await comment("0".repeat(40));
    expect(readGitHub().comments).toEqual(before);
  });

  test("gets the problems as its comment if a stack file is invalid", async () => {
    clone.git("checkout", "--quiet", "open-health");
    head = clone.commit("Pulumi.local.yaml", (text) => text.replace("type: proxy", "type: proxi"));
    clone.git("checkout", "--quiet", "main");
    expect(await comment(head, ["allow-public"])).toEqual([expect.stringContaining('Did you mean "proxy"?')]);
    expect(lastStatus()).toEqual(["error", "The configuration is not valid"]);
  });
});
