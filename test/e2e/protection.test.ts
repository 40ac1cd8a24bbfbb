/** The options `protect` and `retainOnDelete` of a resource, changed alone, by `npx gatehouse deploy`. */
import { type CustomResourceOptions, runtime } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { beforeAll, expect, test } from "vitest";
import program from "../../infra/index.ts";
import type { ShellEnvironment, StackContext } from "../../ops/context/context.ts";
import { deployProgram } from "../helpers/deployProgram.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { openLocalContext } from "./fixtures.ts";

let shell: ShellEnvironment;
let target: StackContext;
beforeAll(() => {
  ({ shell, target } = openLocalContext());
  // The program runs in this process and reads its variables from the environment.
  Object.assign(process.env, target.environment);
});

const DATABASE = "data-database-database";

/** Returns the program of the stack with other options of the data API's database. */
function withOptions(changed: CustomResourceOptions): PulumiFn {
  return () => {
    runtime.registerStackTransformation(({ name, props, opts }) =>
      name === DATABASE ? { props, opts: { ...opts, ...changed } } : undefined,
    );
    return program();
  };
}

async function deployWith(options: CustomResourceOptions, changes: readonly string[]): Promise<void> {
  const { outcome, text } = await deployProgram(target, shell, withOptions(options), { skipPolicy: true });
  expect([outcome.outcome, outcome.changes.map(({ name, paths, done }) => [name, paths, done])]).toEqual([
    "deployed",
    [[DATABASE, changes, true]],
  ]);
  expect(text).toContain(`\n  ~ Database ${DATABASE}: ${changes.join(", ")}\n`);
}

fullTest("deploys changes of the options alone, and deletes no protected database", async () => {
  await deployWith({ protect: true, retainOnDelete: true }, ["protect = true", "retainOnDelete = true"]);
  const { outcome, text } = await deployProgram(target, shell, () => Promise.resolve({}), { skipPolicy: true });
  expect([outcome.outcome, outcome.steps.some(({ name }) => name === "Deploying")]).toEqual(["failed", false]);
  expect(text).toContain("Nothing was deployed.");
  await deployWith({}, ["protect = false", "retainOnDelete = false"]);
});

test("asks for each database that a deployment drops before it asks for the changes", async () => {
  const questions: string[] = [];
  const confirms = (question: string): boolean => {
    questions.push(question);
    return !question.startsWith('This drops the database "gatehouse"');
  };
  const { outcome } = await deployProgram(target, shell, () => Promise.resolve({}), { skipPolicy: true, confirms });
  expect([outcome.outcome, questions.at(-1)]).toEqual([
    "declined",
    'This drops the database "gatehouse" with its data. Drop it?',
  ]);
});
