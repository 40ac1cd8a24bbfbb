import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "../../../ops/commands/deploy.ts";
import type { Shell } from "../../../ops/commands/shell.ts";
import type { deployContext, Options } from "../../../ops/deployment/deployment.ts";
import type { Ending, Outcome } from "../../../ops/deployment/outcome.ts";
import { devStack } from "../../helpers/devStack.ts";
import { SHELL } from "../../helpers/shell.ts";

const project = devStack("rancher-desktop");
let out: string;
let error: string;
/** What was deployed, and how. */
let deployed: { context: string; options: Options }[];
let ending: Ending;
let answers: string[];
let questions: string[];
let asked: AbortSignal | undefined;

beforeEach(() => {
  [out, error, deployed, ending, answers, questions] = ["", "", [], "deployed", [], []];
});

const nothing = {
  policySkipped: false,
  steps: [],
  changes: [],
  diff: [],
  drift: [],
  checks: [],
  hosts: [],
  problems: [],
  next: [],
};

const deploy: typeof deployContext = ({ context, stack }, _, options) => {
  deployed.push({ context, options });
  return Promise.resolve({ context, stack, outcome: ending, ...nothing } satisfies Outcome);
};

function run(args: readonly string[], changes: Partial<Shell> = {}, how = deploy): Promise<number> {
  const shell: Shell = {
    ...SHELL,
    project: project(),
    data: project(),
    ask: (question, interrupted) => {
      questions.push(question);
      asked = interrupted;
      return Promise.resolve(answers.shift() ?? "");
    },
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    ...changes,
  };
  return main(args, shell, how);
}

const KNOWN = "Known contexts:\n  rancher-desktop (stack dev)\n";

describe("the command line", () => {
  test("lists the contexts if none is named", async () => {
    expect(await run([])).toBe(2);
    expect({ out, error }).toEqual({ out: "", error: `name a context: npx gatehouse deploy CONTEXT\n${KNOWN}` });
  });

  test("lists the contexts for an unknown one, and deploys nothing", async () => {
    expect(await run(["production", "--yes"])).toBe(2);
    expect(error).toBe(
      `no stack belongs to context "production".\n${KNOWN}` +
        "To add it, set kubernetes:context: production in the stack file of that cluster.\n",
    );
    expect(deployed).toEqual([]);
  });

  test.each([[["rancher-desktop", "--force"]], [["rancher-desktop", "another"]]])("rejects %j", async (args) => {
    expect(await run(args)).toBe(2);
    expect(deployed).toEqual([]);
  });

  test("requires --yes without a terminal", async () => {
    expect(await run(["rancher-desktop"], { ask: undefined })).toBe(2);
    expect(error).toBe(
      "Standard input or standard error is not a terminal, so Gatehouse cannot ask for confirmation. Run npx gatehouse preview, then pass --yes.\n",
    );
    expect(deployed).toEqual([]);
    expect(await run(["rancher-desktop", "--yes"], { ask: undefined })).toBe(0);
  });

  test("returns 0 for --help", async () => {
    expect(await run(["--help"])).toBe(0);
    expect(out).toContain("Usage: gatehouse deploy [options] CONTEXT");
  });
});

describe("--skip-policy", () => {
  test("is passed to the deployment, and off by default", async () => {
    await run(["rancher-desktop", "--yes"]);
    await run(["rancher-desktop", "--yes", "--skip-policy"]);
    expect(deployed.map(({ options }) => options.skipPolicy)).toEqual([false, true]);
  });

  test.each([
    ["CI", "true"],
    ["CI", "false"],
    ["GITHUB_ACTIONS", "true"],
    ["GITLAB_CI", "true"],
    ["TF_BUILD", "True"],
    ["JENKINS_URL", "https://ci.example.org/"],
  ])("is rejected where %s is %j, also with --yes", async (name, value) => {
    const environment = { [name]: value };
    expect(await run(["rancher-desktop", "--yes", "--skip-policy"], { environment })).toBe(2);
    expect([error, deployed]).toEqual([
      `--skip-policy never works in CI, and ${name} is set. Run npx gatehouse deploy without it. If the policy pack reports a violation, ` +
        "see docs/policy.md.\n",
      [],
    ]);
    expect(await run(["rancher-desktop", "--yes"], { environment })).toBe(0);
  });
});

describe("a question", () => {
  const confirm = async (args: readonly string[]): Promise<boolean | undefined> => {
    await run(args);
    return deployed[0]?.options.confirm("Apply?");
  };

  test.each(["yes", " yes "])("is confirmed by the answer %j", async (answer) => {
    answers = [answer];
    expect(await confirm(["rancher-desktop"])).toBe(true);
    expect(questions).toEqual(["Apply? Type yes to continue: "]);
  });

  test.each(["", "y", "Yes", "YES", "no", "yes please"])("is not confirmed by the answer %j", async (answer) => {
    answers = [answer];
    expect(await confirm(["rancher-desktop"])).toBe(false);
  });

  test("ends when the command is interrupted", async () => {
    const signal = new AbortController().signal;
    await run(["rancher-desktop"], { interruption: () => signal });
    await deployed[0]?.options.confirm("Apply?");
    expect(asked).toBe(signal);
  });

  test("is not asked with --yes", async () => {
    expect(await confirm(["rancher-desktop", "--yes"])).toBe(true);
    expect(questions).toEqual([]);
  });
});

test.each([
  ["deployed", 0],
  ["unchanged", 0],
  ["unverified", 1],
  ["failed", 1],
  ["declined", 1],
  ["refused", 2],
] as const)("maps the outcome %s to exit code %i", async (end, code) => {
  ending = end;
  expect(await run(["rancher-desktop"])).toBe(code);
});

test("writes what the project's program prints to standard error with --json", async () => {
  const program = join(project(), "index.ts");
  writeFileSync(program, 'console.log("loaded");\nexport default () => console.info("run");\n');
  const console = globalThis.console;
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await run(["rancher-desktop", "--json", "--yes"], {}, async (context, shell, options) => {
    await (
      await options.program()
    )();
    return deploy(context, shell, options);
  });
  const written = [stdout, stderr].map(({ mock }) => mock.calls.map(([text]) => text));
  vi.restoreAllMocks();
  globalThis.console = console;
  rmSync(program);
  expect(written).toEqual([[], ["loaded\n", "run\n"]]);
});

test("writes only one document to standard output with --json", async () => {
  const code = await run(["rancher-desktop", "--json", "--refresh", "--yes"], {}, (context, shell, options) => {
    options.print("a preview");
    return deploy(context, shell, options);
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ context: "rancher-desktop", stack: "dev", outcome: "deployed", ...nothing });
  expect(error).toBe("a preview\n");
  expect(deployed.map(({ context, options }) => [context, options.refresh])).toEqual([["rancher-desktop", true]]);
});
