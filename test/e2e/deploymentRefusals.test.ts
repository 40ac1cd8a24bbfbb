/** A deployment refuses a state that differs from the systems, before it changes anything. */
import { afterAll, beforeAll, expect, test } from "vitest";
import program from "../../infra/index.ts";
import { readUid } from "../../infra/prerequisites/clusterIdentity.ts";
import type { ShellEnvironment, StackContext } from "../../ops/context/context.ts";
import { openEngine } from "../../ops/engine/open.ts";
import { type Deployed, deployProgram } from "../helpers/deployProgram.ts";
import { SILENT } from "../../ops/terminal/progress.ts";
import { clusterConfig, openLocalContext } from "./fixtures.ts";

const USER = "authentik:index/user:User";
const CLUSTER = "gatehouse:infra:Cluster";

interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: { readonly username?: string };
  outputs?: { readonly uid?: string };
}

interface Exported {
  readonly deployment: { readonly resources: Resource[] };
}

let shell: ShellEnvironment;
let target: StackContext;

beforeAll(() => {
  ({ shell, target } = openLocalContext());
  // The program runs in this process and reads its variables from the environment.
  Object.assign(process.env, target.environment);
});
afterAll(async () => {
  const { outcome } = await deployProgram(target, shell, program);
  expect(outcome.outcome).toBe("unchanged");
});

/** Deploys with a changed state, and restores it. */
async function deployWith(change: (resources: Resource[]) => void): Promise<Deployed> {
  const stack = await openEngine(target, shell, program, SILENT);
  const before = await stack.exportStack();
  const { deployment } = structuredClone(before) as unknown as Exported;
  change(deployment.resources);
  await stack.importStack({ ...before, deployment });
  try {
    return await deployProgram(target, shell, program);
  } finally {
    await stack.importStack(before);
  }
}

function expectRefusal({ outcome, text }: Deployed, problem: string): void {
  expect([outcome.outcome, outcome.problems, outcome.steps.map((step) => step.name)]).toEqual([
    "refused",
    [problem],
    expect.not.arrayContaining(["Deploying"]),
  ]);
  expect(text).toContain("Nothing was deployed:");
}

test("refuses to create a user that authentik has and the state has not", async () => {
  let user: Resource | undefined;
  const deployed = await deployWith((resources) => {
    // A sample user: the token and the Secret of a service account depend on its user.
    const others = (urn: string) => JSON.stringify(resources.filter((one) => one.urn !== urn));
    const index = resources.findIndex(({ type, urn }) => type === USER && !others(urn).includes(urn));
    [user] = resources.splice(index, 1);
  });
  const name = user?.inputs?.username ?? "";
  const url = target.plan.identityProviderUrl ?? "";
  expectRefusal(deployed, `${url} already has an object User with the username "${name}". Rename or delete it there.`);
});

test("refuses another cluster than the one of the last deployment, whose context has the same name", async () => {
  const uid = await readUid(clusterConfig());
  let recorded: string | undefined;
  const other = "00000000-0000-4000-8000-000000000000";
  const deployed = await deployWith((resources) => {
    const component = resources.find(({ type }) => type === CLUSTER);
    recorded = component?.outputs?.uid;
    if (component) component.outputs = { uid: other };
  });
  expect(recorded).toBe(uid);
  expectRefusal(
    deployed,
    `stack "local" is deployed to the cluster with UID ${other}, and context "gatehouse-local" is the cluster with UID ${uid}. Set KUBECONFIG to ` +
      "the kubeconfig of the stack's cluster; to move the stack, see docs/operations/moving.md; or use another stack for the new cluster.",
  );
});
