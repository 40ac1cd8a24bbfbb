/** The rules of security that the workflows keep (GitHub docs, "Secure use reference"). */
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

/** Whether what somebody else proposes starts the workflow. */
const isForForks = ({ on }: Workflow) => "pull_request" in on;
const SAME_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository";

test("there are four", () => {
  expect(files).toEqual(["e2e.yml", "nightly.yml", "pull-request-comment.yml", "pull-request.yml"]);
});

test.each(workflows)("$file is what GitHub's schema says", ({ text }) => {
  expect(validateWorkflow(text)).toEqual({ actionType: "workflow", errors: [] });
});

test("the schema would refuse a misspelt key", () => {
  const wrong = readFileSync(join(folder, "nightly.yml"), "utf8").replace("runs-on:", "run-on:");
  expect(validateWorkflow(wrong).errors.length).toBeGreaterThan(0);
});

describe("every workflow", () => {
  test("states its permissions, none of them for everything, and its jobs end", () => {
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
      "pull-request-comment.yml comment": { actions: "read", contents: "read", "pull-requests": "write" },
    });
    expect(jobs.filter(({ job }) => job["timeout-minutes"] === undefined)).toEqual([]);
    expect(workflows.filter(({ workflow }) => workflow.concurrency === undefined)).toEqual([]);
  });

  test("pins every action by its commit, with the version beside it", () => {
    const lines = workflows.flatMap(({ text }) => text.split("\n").filter((line) => line.includes("uses:")));
    expect(lines.length).toBe(steps.filter(({ step }) => step.uses !== undefined).length);
    expect(lines.filter((line) => !/ uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test("puts nothing of an event into a script: it comes as a variable", () => {
    expect(steps.filter(({ step }) => step.run?.includes("${{")).map(({ at }) => at)).toEqual([]);
  });

  test("keeps no token where a later step would find it", () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith("actions/checkout@"));
    expect(checkouts.length).toBe(5);
    expect(checkouts.filter(({ step }) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  test("runs the policy pack", () => {
    expect(steps.filter(({ step }) => step.run?.includes("--skip-policy"))).toEqual([]);
  });

  test("runs commands that package.json has", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const named = steps.flatMap(({ step }) =>
      [...(step.run ?? "").matchAll(/npm run --silent ([\w:]+)/g)].map((m) => m[1]),
    );
    expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
    expect(new Set(named)).toEqual(new Set(["diff", "preview", "verify", "audit", "diagnose"]));
  });
});

describe("what a fork can start", () => {
  const reachable = jobs.filter(({ workflow, job }) => isForForks(workflow) && !job.if?.includes(SAME_REPOSITORY));

  test("is never pull_request_target, and one job alone", () => {
    expect(workflows.filter(({ workflow }) => "pull_request_target" in workflow.on)).toEqual([]);
    expect(reachable.map(({ at }) => at)).toEqual(["pull-request.yml access"]);
  });

  test("has no secret, no token, no environment and no right to write", () => {
    for (const { job, workflow } of reachable) {
      expect(JSON.stringify(job)).not.toMatch(/secrets\.|github\.token|GITHUB_TOKEN/);
      expect([job.environment, job.permissions, workflow.permissions]).toEqual([
        undefined,
        undefined,
        { contents: "read" },
      ]);
    }
  });

  test("secrets are in an environment, and in one step of a job", () => {
    const secret = jobs.filter(({ job }) => JSON.stringify(job).includes("secrets."));
    expect(secret.map(({ at, job }) => [at, job.environment])).toEqual([
      ["nightly.yml check", "nightly"],
      ["pull-request.yml preview", "preview"],
    ]);
    const holding = steps.filter(({ step }) => JSON.stringify(step).includes("secrets."));
    expect(holding.map(({ at, step }) => `${at}: ${step.name ?? ""}`)).toEqual([
      "nightly.yml check: Check",
      "pull-request.yml preview: Preview",
    ]);
    expect(secret.find(({ file }) => file === "pull-request.yml")?.job.if).toContain("!= 'dependabot[bot]'");
  });
});

test("what may comment runs the default branch, and takes no preview of a fork", () => {
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
  expect(comment?.job.steps.filter(({ run }) => /checkout|switch|restore|worktree/.test(run ?? ""))).toEqual([]);
});
