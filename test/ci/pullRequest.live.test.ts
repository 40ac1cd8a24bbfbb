/** The steps of the workflows, run as a runner would on a sample pull request, against a small GitHub. The comment is the one in docs/ci.md. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { main as diff } from "../../ops/diff.ts";
import { main as issue } from "../../ops/issue.ts";
import { cloneProject } from "./clone.ts";
import { GitHubDouble, TOKEN } from "./gitHub.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, "..", "..");
const clone = cloneProject();
const base = clone.git("rev-parse", "HEAD").trim();
const gitHub = new GitHubDouble(clone.folder);
const preview = readFileSync(join(import.meta.dirname, "preview.txt"), "utf8");
let api: string;
let head: string;

beforeAll(async () => {
  api = await gitHub.start();
  clone.git("checkout", "--quiet", "-b", "open-health");
  head = clone.commit("Pulumi.local.yaml", (text) =>
    text.replace("groups: [admins]", "groups: [admins, staff]\n      public_paths: [/healthz]"),
  );
  // What happens on main meanwhile is no part of the pull request.
  clone.git("checkout", "--quiet", "main");
  const newer = clone.commit("Pulumi.dev.yaml", (text) => text.replace("groups: [staff, auditors]", "groups: [staff]"));
  clone.git("checkout", "--quiet", "open-health");
  clone.git("merge", "--quiet", "--no-edit", "main");
  clone.git("checkout", "--quiet", "--detach");
  clone.git("branch", "--quiet", "--force", "open-health", head);
  gitHub.pulls = [
    { number: 6, head: { sha: base }, base: { sha: newer } },
    { number: 5, head: { sha: base }, base: { sha: newer } },
    { number: 7, head: { sha: head }, base: { sha: newer } },
  ];
});
afterAll(() => {
  gitHub.stop();
  rmSync(clone.folder, { recursive: true });
});

/** Runs a step as GitHub does: `bash -e`, its expressions filled in. */
async function runStep(
  file: string,
  name: string,
  values: Record<string, string>,
  environment: Record<string, string>,
) {
  const text = readFileSync(join(root, ".github", "workflows", file), "utf8");
  const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> };
  const step = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find((one) => one.name === name);
  if (step?.run === undefined) throw new Error(`${file} has no step "${name}"`);
  const filled = Object.entries(step.env ?? {}).map(([key, expression]) => {
    const value = values[expression.replace(/^\$\{\{ | \}\}$/g, "")];
    if (value === undefined) throw new Error(`no value for ${expression}`);
    return [key, value] as const;
  });
  const env = {
    PATH: process.env["PATH"],
    HOME: clone.folder,
    CI: "true",
    ...environment,
    ...Object.fromEntries(filled),
  };
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const child = execFile("bash", ["-e", "-c", step.run ?? ""], { cwd: clone.folder, env }, (_, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    );
  });
}

const LABELS = "contains(github.event.pull_request.labels.*.name, 'allow-public') && '--allow-public' || ''";

async function access(label: string) {
  const summary = join(clone.folder, ".git", "summary.md");
  rmSync(summary, { force: true });
  const newer = gitHub.pulls[2]?.base.sha ?? "";
  const values = { "github.event.pull_request.base.sha": newer, [LABELS]: label, "toJSON(vars)": "{}" };
  const { code, error } = await runStep("pull-request.yml", "Tell who gains or loses access", values, {
    GITHUB_STEP_SUMMARY: summary,
  });
  return { code, error, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
}

async function comment(event: object = {}) {
  const file = join(clone.folder, ".git", "event.json");
  const run = {
    ...{ head_sha: head, head_branch: "open-health", html_url: "https://github.com/example/platform/actions/runs/1" },
    head_repository: { full_name: "example/platform", owner: { login: "example" } },
    ...event,
  };
  writeFileSync(file, JSON.stringify({ workflow_run: run }));
  const temp = join(clone.folder, ".git", "temp");
  mkdirSync(join(temp, "preview"), { recursive: true });
  writeFileSync(join(temp, "preview", "preview.txt"), preview);
  return runStep(
    "pull-request-comment.yml",
    "Comment",
    { "github.token": TOKEN, "toJSON(vars)": "{}" },
    { GITHUB_EVENT_PATH: file, GITHUB_API_URL: api, GITHUB_REPOSITORY: "example/platform", RUNNER_TEMP: temp },
  );
}

describe("a pull request that opens a path", () => {
  test("fails its check with the access diff in the summary, and passes with the label", async () => {
    const { code, error, summary } = await access("");
    expect([code, error]).toEqual([1, ""]);
    expect(summary).toContain("| `http://admin.localhost` | open to everyone, without a session: `/healthz` |");
    expect(summary).toContain("### Access: stack `dev`\n\nNobody gains or loses access.\n");
    expect(await access("--allow-public")).toEqual({ code: 0, error: "", summary });
  });

  test("is told in one comment, which docs/ci.md shows", async () => {
    gitHub.note(gitHub.comments, "<!-- gatehouse:pull-request -->\nI am not the bot", { login: "eve", type: "User" });
    gitHub.note(gitHub.comments, "Nice", { login: "ada", type: "User" });
    const done = await comment();
    expect(done).toEqual({ code: 0, out: "Commented on pull request 7.\n", error: "" });
    const [, , own] = gitHub.comments;
    expect(own?.user.type).toBe("Bot");
    expect(own?.body).not.toContain("stack `dev`");
    const docs = readFileSync(join(root, "docs", "ci.md"), "utf8");
    const shown = /<!-- begin sample -->\n([\s\S]*)<!-- end sample -->/.exec(docs)?.[1];
    expect(shown).toBe(own?.body);
  });

  test("has its comment updated, and left alone when it says so already", async () => {
    expect((await comment()).out).toBe("The comment on pull request 7 says so already.\n");
    clone.git("checkout", "--quiet", "open-health");
    head = clone.commit("Pulumi.local.yaml", (text) => text.replace("      public_paths: [/healthz]\n", ""));
    gitHub.pulls = gitHub.pulls.map((pull) => (pull.number === 7 ? { ...pull, head: { sha: head } } : pull));
    expect((await comment()).out).toBe("Updated the comment on pull request 7.\n");
    expect(gitHub.writes).toEqual(["POST /issues/7/comments", "PATCH /issues/comments/102"]);
    expect(gitHub.comments.map(({ body }) => body.includes("`/healthz`"))).toEqual([false, false, false]);
  });

  test("of a fork gets the diff, and no preview that it made up", async () => {
    const done = await comment({ head_repository: { full_name: "eve/platform", owner: { login: "eve" } } });
    expect(done.out).toBe("Updated the comment on pull request 7.\n");
    expect(gitHub.comments[2]?.body).toContain("may be entered by `staff` (lets in `bob` and `reporter`)");
    expect(gitHub.comments[2]?.body).not.toContain("### Preview");
  });

  test("that went on has its comment from its newer run", async () => {
    expect((await comment({ head_sha: "0".repeat(40) })).out).toBe(
      "No open pull request ends with that commit; nothing to say.\n",
    );
  });
});

describe("the issue of the nightly run", () => {
  const run = async (...args: string[]) => {
    const seen = { out: "", error: "" };
    const environment = { GITHUB_API_URL: api, GITHUB_REPOSITORY: "example/platform", GITHUB_TOKEN: TOKEN };
    const shell = {
      environment,
      out: (text: string) => (seen.out += text),
      error: (text: string) => (seen.error += text),
    };
    return { code: await issue(["production", ...args], shell), ...seen };
  };

  test("is opened once, updated, and closed when nothing is found any more", async () => {
    const file = join(clone.folder, ".git", "drift.txt");
    writeFileSync(file, "~ IngressRoute wiki was changed\n");
    expect((await run()).out).toBe("Nothing was found, and no issue is open.\n");
    const { out } = await run("--failed", file);
    const [own] = gitHub.issues;
    expect(out).toBe(`Opened issue ${own?.id ?? 0}.\n`);
    expect(own?.body).toBe(
      "<!-- gatehouse:nightly:production -->\n\n### `drift` failed\n\n```text\n~ IngressRoute wiki was changed\n```\n",
    );
    writeFileSync(file, `${"~ a line that is long enough\n".repeat(5000)}`);
    expect((await run("--failed", file, "--rest-url", "https://ci.example.org/1")).out).toBe(
      `Updated issue ${own?.id ?? 0}.\n`,
    );
    expect(own?.body).toMatch(/\n```\n\n\*\d+ more lines: \[all of them\]\(https:\/\/ci\.example\.org\/1\)\.\*\n$/);
    expect((await run()).out).toBe(`Nothing was found any more: closed issue ${own?.id ?? 0}.\n`);
    expect([gitHub.issues.length, own?.state]).toEqual([1, "closed"]);
  });

  test("a refusal names the call, and no token", async () => {
    const environment = { GITHUB_API_URL: api, GITHUB_REPOSITORY: "example/platform", GITHUB_TOKEN: "canary-wrong" };
    let error = "";
    const shell = { environment, out: () => undefined, error: (text: string) => (error += text) };
    expect(await issue(["production"], shell)).toBe(1);
    expect(error).toBe("GET /repos/example/platform/issues was answered 401; see the permissions of the job\n");
    expect(await issue(["production"], { ...shell, environment: {} })).toBe(1);
    expect(error).toContain(
      "GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN: not set; a workflow of GitHub sets them\n",
    );
  });
});

describe("npm run diff", () => {
  const run = (...args: string[]) => {
    const seen = { out: "", error: "" };
    const code = diff(args, {
      ...{ project: clone.folder, folder: clone.folder, environment: {}, colours: false },
      out: (text) => (seen.out += text),
      error: (text) => (seen.error += text),
    });
    return { code, ...seen };
  };

  test("compares a revision with the working tree, another revision, or a file", () => {
    const first = run(base, "--stack", "dev", "--head", "main");
    expect([first.code, first.error]).toEqual([0, ""]);
    expect(first.out).toContain("Less access\n  - http://reports.localhost\n");
    expect(run(base, "--stack", "local", "--head", `${head}~1`).code).toBe(1);
    expect(run(base, "--stack", "local", "--head", `${head}~1`, "--allow-public").code).toBe(0);
    expect(run("Pulumi.dev.yaml").out).toBe("Stack dev\n\nNobody gains or loses access.\n");
    expect(run("Pulumi.local.yaml", "--stack", "dev").code).toBe(1);
    const { stacks } = JSON.parse(run(base, "--json").out) as { stacks: { stack: string }[] };
    expect(stacks.map(({ stack }) => stack)).toEqual(["dev", "local"]);
  });

  test("shows what is wrong with the new version, and ends with 2", () => {
    const file = join(clone.folder, "Pulumi.dev.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("type: proxy", "type: proxi"));
    const { code, out } = run("HEAD");
    writeFileSync(file, text);
    expect(code).toBe(2);
    expect(out).toContain('did you mean "proxy"?');
    expect(out).toContain("Stack local\n\nNobody gains or loses access.\n");
  });

  test("refuses what it cannot compare", () => {
    expect(run("nowhere")).toEqual({
      code: 2,
      out: "",
      error: '"nowhere" is neither a revision of git nor a file; name one, e.g. main, HEAD~1 or origin/main\n',
    });
    expect(run("HEAD", "--stack", "moon").error).toBe("no version has a file for moon; name one of dev, local\n");
    expect(run("HEAD", "--json", "--markdown").error).toBe("--markdown and --json exclude each other; leave one out\n");
    expect(run().code).toBe(2);
    expect(run("--output=x").code).toBe(2);
  });
});
