import { join } from "node:path";
import { expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { refuseOtherClusters } from "../../../ops/deploy/checks.ts";
import { isSamePlan, stateOf } from "../../../ops/deploy/stackState.ts";
import type { Resource } from "../../../ops/replay.ts";

const file = join(import.meta.dirname, "../../../Pulumi.local.yaml");
const plan = computePlan(parseStack(readStackFile(file, "local"), {}, { secretsRequired: false }));
const stored = JSON.parse(JSON.stringify(plan)) as typeof plan;

function resource(type: string, fields: Partial<Resource>): Resource {
  return { urn: `urn:pulumi:local::gatehouse::${type}::x`, type, ...fields };
}

const own = resource("pulumi:pulumi:Stack", { outputs: { urls: [], plan: stored } });
const cluster = (context: string) => resource("pulumi:providers:kubernetes", { inputs: { context } });

test("a state knows the last plan and the clusters that it was deployed to", () => {
  const { plan: last, contexts } = stateOf([
    own,
    cluster("dev"),
    cluster("dev"),
    resource("pulumi:providers:authentik", {}),
  ]);
  expect(last).toEqual(stored);
  expect(contexts).toEqual(["dev"]);
  expect(stateOf([])).toMatchObject({ plan: undefined, contexts: [] });
});

test("its digest differs with whatever differs in it", () => {
  const one = stateOf([own, cluster("dev")]).digest;
  expect(stateOf([own, cluster("dev")]).digest).toBe(one);
  expect(stateOf([own, cluster("prod")]).digest).not.toBe(one);
  expect(stateOf([own]).digest).not.toBe(one);
});

test("a plan is the same as it was stored, and another when one host differs", () => {
  const shuffled = Object.fromEntries(Object.entries(stored).reverse()) as unknown as typeof plan;
  expect(isSamePlan(shuffled, plan)).toBe(true);
  expect(isSamePlan(undefined, plan)).toBe(false);
  const [first, ...rest] = plan.exposures;
  expect(isSamePlan(stored, { ...plan, exposures: [...rest, ...(first ? [{ ...first, host: "x" }] : [])] })).toBe(
    false,
  );
});

test("no context is touched but the named one", () => {
  const target = { context: "prod", stack: "production" };
  expect(() => refuseOtherClusters(target, "prod", { contexts: ["prod"] })).not.toThrow();
  expect(() => refuseOtherClusters(target, "prod", { contexts: [] })).not.toThrow();
  expect(() => refuseOtherClusters(target, "dev", { contexts: [] })).toThrow(
    'the engine would deploy stack "production" to context "dev", not to "prod"; ' +
      "make kubernetes:context in Pulumi.production.yaml the one you mean",
  );
  expect(() => refuseOtherClusters(target, "prod", { contexts: ["old", "prod"] })).toThrow(
    'stack "production" is deployed to context "old", and would be deleted there; to move it to "prod", first run: ' +
      "pulumi destroy --stack production with the old context, or give the new cluster a stack of its own",
  );
});
