import { join } from "node:path";
import { expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../../config/load.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import { DEPLOYED_ACCESS, PLANNED_ACCESS, recordOf } from "../../../../infra/access/record.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { otherClusterProblems, otherContextProblems } from "../../../../ops/deployment/checks.ts";
import { completeSchemas, stateOf } from "../../../../ops/engine/state/stackState.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";

const file = join(import.meta.dirname, "../../../../Pulumi.local.yaml");
const plan = computePlan(parseStack(readStackFile(file, "local"), {}, { secretsRequired: false }));

function resource(type: string, fields: Partial<Resource>): Resource {
  return { urn: `urn:pulumi:local::gatehouse::${type}::x`, type, ...fields };
}

const own = resource(DEPLOYED_ACCESS, { outputs: { ...recordOf(accessOf(plan)) } });
const cluster = (context: string) => resource("pulumi:providers:kubernetes", { inputs: { context } });
const namespace = resource("kubernetes:core/v1:Namespace", {});

test("reads the access of the last deployment, and the clusters that it was deployed to", () => {
  const { access, contexts } = stateOf([
    own,
    cluster("dev"),
    cluster("dev"),
    namespace,
    resource("pulumi:providers:authentik", {}),
  ]);
  expect(access).toEqual(accessOf(plan));
  expect(contexts).toEqual(["dev"]);
  expect(stateOf([])).toMatchObject({ access: undefined, contexts: [] });
  expect(stateOf([cluster("dev")]).contexts).toEqual([]);
});

test("reads the access of each plan whose deployment did not complete", () => {
  const planned = (of: typeof plan) => resource(PLANNED_ACCESS, { outputs: { ...recordOf(accessOf(of)) } });
  const other = { ...plan, exposures: plan.exposures.slice(1) };
  expect(stateOf([own, planned(plan)]).incomplete).toEqual([]);
  expect(stateOf([own, planned(plan), planned(other)]).incomplete).toEqual([accessOf(other)]);
  const { access, incomplete } = stateOf([planned(plan)]);
  expect([access, incomplete]).toEqual([undefined, [accessOf(plan)]]);
});

test("returns the exposed schemas of a complete deployment only", () => {
  const planned = resource(PLANNED_ACCESS, { outputs: { ...recordOf(accessOf({ ...plan, exposures: [] })) } });
  expect(completeSchemas(stateOf([own]))).toEqual(["api_v1", "marts", "raw"]);
  expect(completeSchemas(stateOf([own, planned]))).toEqual([]);
  expect(completeSchemas(stateOf([]))).toEqual([]);
});

test("refuses the access of a newer version", () => {
  const newer = resource(DEPLOYED_ACCESS, { outputs: { version: 4, facts: "" } });
  expect(() => stateOf([newer])).toThrow(
    "the state records its access in version 4, and this program reads version 3; " +
      "deploy with the version of Gatehouse that deployed last, or a newer one",
  );
});

test("compares with nothing if the access was recorded with other names, so that no change is hidden", () => {
  const older = resource(DEPLOYED_ACCESS, { outputs: { ...recordOf(accessOf(plan)), version: 1 } });
  expect(stateOf([older]).access).toEqual(accessOf(undefined));
});

test("has another digest for any difference", () => {
  const one = stateOf([own, cluster("dev")]).digest;
  expect(stateOf([own, cluster("dev")]).digest).toBe(one);
  expect(stateOf([own, cluster("prod")]).digest).not.toBe(one);
  expect(stateOf([own]).digest).not.toBe(one);
});

test("reads the named context only", () => {
  const target = {
    context: "prod",
    stack: "production",
    settings: { cluster: { contexts: ["prod"], uid: undefined } },
  };
  const deployed = (...contexts: string[]) => ({ contexts });
  expect(otherContextProblems(target, "prod", deployed("prod"))).toEqual([]);
  expect(otherContextProblems(target, "prod", deployed())).toEqual([]);
  expect(otherContextProblems(target, "dev", deployed())).toEqual([
    'the engine would deploy stack "production" to context "dev", not to "prod". ' +
      "Correct kubernetes:context in Pulumi.production.yaml.",
  ]);
  expect(otherContextProblems(target, "prod", deployed("old", "prod"))).toEqual([
    'stack "production" is deployed to context "old", where this deployment would delete it. To move it to "prod", first run ' +
      "pulumi destroy --stack production with the old context, or use another stack for the new cluster.",
  ]);
});

test("accepts every name of the cluster", () => {
  const cluster = { contexts: ["default", "k3s"], uid: "uid-1" };
  const target = { context: "k3s", stack: "production", settings: { cluster } };
  expect(otherContextProblems(target, "default", { contexts: ["default"] })).toEqual([]);
  expect(otherContextProblems(target, "default", { contexts: ["k3s"] })).toEqual([]);
});

test("rejects another cluster than that of the last deployment, also one of the same name", () => {
  const target = { context: "default", stack: "production" };
  expect(otherClusterProblems(target, "uid-1", { uid: "uid-1" })).toEqual([]);
  expect(otherClusterProblems(target, "uid-1", { uid: undefined })).toEqual([]);
  expect(otherClusterProblems(target, undefined, { uid: "uid-1" })).toEqual([]);
  expect(otherClusterProblems(target, "uid-1", { uid: "uid-2" })).toEqual([
    'stack "production" is deployed to the cluster with UID uid-2, and context "default" is the cluster with UID uid-1. Set KUBECONFIG to ' +
      "the kubeconfig of the stack's cluster; to move the stack, see docs/operations/moving.md; or use another stack for the new cluster.",
  ]);
});

test("reads the UID of the deployed cluster", () => {
  const component = resource("gatehouse:infra:Cluster", { outputs: { uid: "uid-1" } });
  expect(stateOf([component, namespace]).uid).toBe("uid-1");
  expect(stateOf([component]).uid).toBeUndefined();
  expect(stateOf([own]).uid).toBeUndefined();
});
