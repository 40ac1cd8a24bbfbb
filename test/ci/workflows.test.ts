/** Security rules of the workflows (GitHub docs, "Secure use reference"). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { validateWorkflow } from "@action-validator/core";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly if?: string;
  readonly permissions?: unknown;
  readonly environment?: string;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, ".github", "workflows");
const files = readdirSync(folder).sort();
const workflows = files.map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return { file, text, workflow: parse(text) as Workflow };
});
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ at: `${file} ${name}`, file, workflow, job })),
);
const steps = jobs.flatMap(({ at, job }) => job.steps.map((step) => ({ at, step })));

/** Returns whether a pull request of a fork starts the workflow. */
const isForForks = ({ on }: Workflow) => "pull_request" in on;
const SAME_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository";

test("contains four workflows", () => {
  expect(files).toEqual(["e2e.yml", "nightly.yml", "pull-request-comment.yml", "pull-request.yml"]);
});

test.each(workflows)("$file matches GitHub's schema", ({ text }) => {
  expect(validateWorkflow(text)).toEqual({ actionType: "workflow", errors: [] });
});

test("control: rejects a misspelt key with GitHub's schema", () => {
  const wrong = readFileSync(join(folder, "nightly.yml"), "utf8").replace("runs-on:", "run-on:");
  expect(validateWorkflow(wrong).errors.length).toBeGreaterThan(0);
});

describe("every workflow", () => {
  test("declares its permissions, a concurrency group and time limits", () => {
    const stated = workflows.map(({ file, workflow }) => [file, workflow.permissions]);
    expect(Object.fromEntries(stated)).toEqual({
      "e2e.yml": { contents: "read" },
      "nightly.yml": {},
      "pull-request-comment.yml": {},
      "pull-request.yml": { contents: "read" },
    });
    const ofJobs = jobs.flatMap(({ at, job }) => (job.permissions === undefined ? [] : [[at, job.permissions]]));
    expect(Object.fromEntries(ofJobs)).toEqual({
      "nightly.yml check": { contents: "read", issues: "write" },
      "pull-request-comment.yml comment": {
        actions: "read",
        contents: "read",
        "pull-requests": "write",
        statuses: "write",
      },
    });
    expect(jobs.filter(({ job }) => job["timeout-minutes"] === undefined)).toEqual([]);
    expect(workflows.filter(({ workflow }) => workflow.concurrency === undefined)).toEqual([]);
  });

  test("pins every action by its commit, with the version in a comment", () => {
    const lines = workflows.flatMap(({ text }) => text.split("\n").filter((line) => line.includes(" uses:")));
    expect(lines.length).toBe(steps.filter(({ step }) => step.uses !== undefined).length);
    expect(lines.filter((line) => !/ uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test("passes values of events to scripts as variables only", () => {
    expect(steps.filter(({ step }) => step.run?.includes("${{")).map(({ at }) => at)).toEqual([]);
  });

  test("does not persist the token of a checkout", () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith("actions/checkout@"));
    expect(checkouts.length).toBeGreaterThan(0);
    expect(checkouts.filter(({ step }) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  test("never skips the policy pack", () => {
    expect(steps.filter(({ step }) => step.run?.includes("--skip-policy"))).toEqual([]);
  });

  test("runs commands that exist in package.json", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const named = steps.flatMap(({ step }) =>
      [...(step.run ?? "").matchAll(/npm run --silent ([\w:]+)/g)].map((m) => m[1]),
    );
    expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
    expect(new Set(named)).toEqual(new Set(["diff", "preview", "verify", "audit", "diagnose"]));
  });

  test("gives the repository's variables to each command that reads its stack files", () => {
    const reading = steps.filter(
      ({ at, step }) => !at.startsWith("e2e.yml") && (step.run ?? "").includes("npm run --silent"),
    );
    expect(reading.map(({ at, step }) => [at, step.env?.["GATEHOUSE_VARIABLES"]])).toEqual(
      [
        "nightly.yml check",
        "pull-request-comment.yml comment",
        "pull-request.yml access",
        "pull-request.yml preview",
      ].map((at) => [at, "${{ toJSON(vars) }}"]),
    );
  });
});

describe("a workflow that a fork can start", () => {
  const reachable = jobs.filter(({ workflow, job }) => isForForks(workflow) && !job.if?.includes(SAME_REPOSITORY));

  test("does not use pull_request_target, and runs one job only", () => {
    expect(workflows.filter(({ workflow }) => "pull_request_target" in workflow.on)).toEqual([]);
    expect(reachable.map(({ at }) => at)).toEqual(["pull-request.yml access"]);
  });

  test("has no secret, token, environment or permission to write", () => {
    for (const { job, workflow } of reachable) {
      expect(JSON.stringify(job)).not.toMatch(/secrets\.|github\.token|GITHUB_TOKEN/);
      expect([job.environment, job.permissions, workflow.permissions]).toEqual([
        undefined,
        undefined,
        { contents: "read" },
      ]);
    }
  });

  test("cannot read secrets, which are in an environment and in one step of a job", () => {
    const secret = jobs.filter(({ job }) => JSON.stringify(job).includes("secrets."));
    expect(secret.map(({ at, job }) => [at, job.environment])).toEqual([
      ["nightly.yml check", "nightly"],
      ["pull-request.yml preview", "preview"],
    ]);
    const withSecret = steps.filter(({ step }) => JSON.stringify(step).includes("secrets."));
    expect(withSecret.map(({ at, step }) => `${at}: ${step.name ?? ""}`)).toEqual([
      "nightly.yml check: Check",
      "pull-request.yml preview: Preview",
    ]);
    expect(secret.find(({ file }) => file === "pull-request.yml")?.job.if).toContain("!= 'dependabot[bot]'");
  });
});

describe("the access diff of a pull request", () => {
  const guide = readFileSync(join(root, "docs", "github.md"), "utf8");
  const example = parse(/```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "") as Workflow;
  const own = workflows.find(({ file }) => file === "pull-request.yml")?.workflow;

  test.each([
    ["pull-request.yml", own],
    ["the example in docs/github.md", example],
  ])("is compared again when the base changes: %s", (_, workflow) => {
    expect(workflow?.on["pull_request"]).toEqual({
      types: ["opened", "synchronize", "reopened", "edited", "labeled", "unlabeled"],
    });
    // GitHub counts a job that is skipped as successful.
    expect(workflow?.jobs["access"]).not.toHaveProperty("if");
  });

  test("counts the label as set for a later commit in no workflow", () => {
    const allow = (workflow: Workflow | undefined) =>
      workflow?.jobs["access"]?.steps.flatMap(({ env }) => env?.["ALLOW_PUBLIC"] ?? env?.["ALLOW"] ?? []);
    expect(allow(own)).toEqual([expect.stringContaining("github.event.action != 'synchronize' && ")]);
    // No workflow removes the label there, so only the event that sets it counts.
    expect(allow(example)).toEqual([
      "${{ github.event.action == 'labeled' && github.event.label.name == 'allow-public' && '--allow-public' || '' }}",
    ]);
  });

  test("is a check with the name of the base branch in docs/github.md", () => {
    expect(example.jobs["access"]).toHaveProperty("name", "access (${{ github.base_ref }})");
  });
});

test("runs the default branch in the workflow that may comment, and uses no preview of a fork", () => {
  const [comment] = jobs.filter(({ file }) => file === "pull-request-comment.yml");
  const [checkout, , download] = comment?.job.steps ?? [];
  expect(checkout?.with).toEqual({
    ref: "${{ github.event.repository.default_branch }}",
    "fetch-depth": 0,
    "persist-credentials": false,
  });
  expect((download as { if?: string }).if).toBe(
    "github.event.workflow_run.head_repository.full_name == github.repository",
  );
  // The run that the comment links contains what the comment leaves out.
  expect(comment?.job.steps.find(({ name }) => name === "Comment")?.env?.["RUN_URL"]).toBe(
    "${{ github.server_url }}/${{ github.repository }}/actions/runs/${{ github.run_id }}",
  );
  expect(comment?.job.steps.at(-1)?.with?.["path"]).toBe("${{ runner.temp }}/access\n${{ runner.temp }}/preview\n");
  expect(comment?.job.steps.filter(({ run }) => /checkout|switch|restore|worktree/.test(run ?? ""))).toEqual([]);
});
