/** A deployment refuses names that are taken in authentik before it changes anything. */
import { expect, inject, test } from "vitest";
import { packageFolder } from "../../config/folders.ts";
import program from "../../infra/index.ts";
import { openContext } from "../../ops/context/context.ts";
import { openEngine } from "../../ops/engine/open.ts";
import { deployProgram } from "../helpers/deployProgram.ts";
import { quiet } from "../helpers/quiet.ts";

const USER = "authentik:index/user:User";

interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: { readonly username?: string };
}

interface Exported {
  readonly deployment: { readonly resources: Resource[] };
}

test("refuses to create a user that authentik has and the state has not", async () => {
  const shell = { project: packageFolder(), data: inject("platform").data, environment: process.env };
  const target = openContext("gatehouse-local", shell);
  // The program runs in this process and reads its variables from the environment.
  Object.assign(process.env, target.environment);
  const stack = await openEngine(target, shell, program, quiet);
  const before = await stack.exportStack();
  const { deployment } = structuredClone(before) as unknown as Exported;
  // A sample user: the token and the Secret of a service account depend on its user.
  const others = (urn: string) => JSON.stringify(deployment.resources.filter((one) => one.urn !== urn));
  const index = deployment.resources.findIndex(({ type, urn }) => type === USER && !others(urn).includes(urn));
  const [user] = deployment.resources.splice(index, 1);
  await stack.importStack({ ...before, deployment });

  const { outcome, text } = await deployProgram(target, shell, program);
  await stack.importStack(before);

  const name = user?.inputs?.username ?? "";
  const url = target.plan.identityProviderUrl ?? "";
  expect([outcome.outcome, outcome.problems, outcome.steps.map((step) => step.name)]).toEqual([
    "refused",
    [`${url} already has an object User with the username "${name}". Rename or delete it there.`],
    expect.not.arrayContaining(["Deploying"]),
  ]);
  expect(text).toContain("Nothing was deployed:");
  expect((await deployProgram(target, shell, program)).outcome.outcome).toBe("unchanged");
});
