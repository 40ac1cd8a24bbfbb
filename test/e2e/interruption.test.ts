/** Ctrl-C while `npx gatehouse deploy` does not run the engine. */
import { beforeAll, expect, test } from "vitest";
import program from "../../infra/index.ts";
import type { ShellEnvironment, StackContext } from "../../ops/context/context.ts";
import { exitCodeOf } from "../../ops/deployment/outcome.ts";
import { deployProgram } from "../helpers/deployProgram.ts";
import { openLocalContext } from "./fixtures.ts";

let shell: ShellEnvironment;
let target: StackContext;
beforeAll(() => {
  ({ shell, target } = openLocalContext());
});

const CHECKS = "Checking configuration, tools and access";
const interrupted = AbortSignal.abort("SIGINT");

test("ends the deployment during the checks", async () => {
  const { outcome, text } = await deployProgram(target, shell, program, { interrupted });
  expect([outcome.outcome, outcome.problems, outcome.changes]).toEqual(["failed", ["interrupted"], []]);
  expect(outcome.steps).toMatchObject([{ name: CHECKS, ok: false }]);
  expect(outcome.hosts).toEqual([]);
  expect(text).toContain("Nothing was deployed");
});

test("hides the errors of the checks that it stops", async () => {
  const environment = { ...target.environment, PATH: "/nowhere" };
  const { outcome, text } = await deployProgram({ ...target, environment }, shell, program, { interrupted });
  expect([outcome.outcome, outcome.problems, outcome.steps.map(({ name }) => name)]).toEqual([
    "failed",
    ["interrupted"],
    [CHECKS],
  ]);
  expect(text).toContain("Nothing was deployed:\n  ✖ interrupted\n");
  expect(text).not.toContain("policy pack");
});

test("ends the deployment during the verification", async () => {
  Object.assign(process.env, target.environment);
  const abort = new AbortController();
  const verify = (): Promise<never> => {
    abort.abort("SIGINT");
    return new Promise(() => undefined);
  };
  const { outcome, text } = await deployProgram(target, shell, program, { interrupted: abort.signal, verify });
  expect([outcome.outcome, outcome.problems, exitCodeOf(outcome)]).toEqual(["unverified", ["interrupted"], 1]);
  expect(text).toContain(": stack local on gatehouse-local, not verified: interrupted\nNext commands\n");
  expect(text).toContain("  npx gatehouse verify gatehouse-local\n");
});
