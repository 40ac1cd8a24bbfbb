import { expect, test } from "vitest";
import { merged, nameOf, stepOf } from "../../../ops/engine/step.ts";

type Metadata = Parameters<typeof stepOf>[0];

/** What the engine tells of a resource, with its values. */
function told(op: string, fields: Partial<Metadata> = {}): Metadata {
  const urn =
    "urn:pulumi:local::gatehouse::gatehouse:gateway:Gateway$kubernetes:traefik.io/v1alpha1:IngressRoute::wiki-route";
  const state = { custom: true, inputs: { password: "canary" }, outputs: { password: "canary" } };
  const type = "kubernetes:traefik.io/v1alpha1:IngressRoute";
  return { op, urn, type, new: state, ...fields } as unknown as Metadata;
}

test("a step has the resource's name and kind, and of its values only where they differ", () => {
  const detailedDiff = {
    "spec.routes[1].match": { diffKind: "update", inputDiff: true },
    "spec.routes[0].middlewares": { diffKind: "add", inputDiff: true },
  };
  const step = stepOf(told("update", { detailedDiff } as unknown as Partial<Metadata>));
  expect(step).toEqual({
    operation: "update",
    type: "IngressRoute",
    name: "wiki-route",
    urn: told("update").urn,
    paths: ["spec.routes[0].middlewares", "spec.routes[1].match"],
  });
  expect(JSON.stringify(step)).not.toContain("canary");
  expect(nameOf({ type: "IngressRoute", name: "wiki-route" })).toBe("IngressRoute wiki-route");
});

test("where the provider has no paths the names of the properties serve, and a creation has none", () => {
  expect(stepOf(told("update", { diffs: ["spec", "metadata"] }))?.paths).toEqual(["metadata", "spec"]);
  expect(stepOf(told("create", { diffs: ["spec"] }))?.paths).toEqual([]);
});

test("what stays, is read or refreshed is no step, and neither is a component", () => {
  expect(["same", "read", "refresh", "discard"].map((op) => stepOf(told(op)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(stepOf(told("create", { new: { custom: false } } as unknown as Partial<Metadata>))).toBeUndefined();
});

test("a deletion knows its resource from before", () => {
  const gone = { new: undefined, old: { custom: true } } as unknown as Partial<Metadata>;
  expect(stepOf(told("delete", gone))?.operation).toBe("delete");
});

test("the three parts of a replacement are one step, with the paths that any of them tells", () => {
  const parts = ["create-replacement", "replace", "delete-replaced"].flatMap(
    (op) => stepOf(told(op, op === "replace" ? { diffs: ["mode"] } : {})) ?? [],
  );
  expect(merged(parts).map(({ operation, paths }) => ({ operation, paths }))).toEqual([
    { operation: "replace", paths: ["mode"] },
  ]);
});
