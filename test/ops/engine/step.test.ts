import type { StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { expect, test } from "vitest";
import { merged, nameOf, stepOf } from "../../../ops/engine/step.ts";

/** What the engine reports of a resource, with its values. */
function metadata(op: string, fields: Partial<StepEventMetadata> = {}): StepEventMetadata {
  const urn =
    "urn:pulumi:local::gatehouse::gatehouse:gateway:Gateway$kubernetes:traefik.io/v1alpha1:IngressRoute::wiki-route";
  const state = { custom: true, inputs: { password: "canary" }, outputs: { password: "canary" } };
  const type = "kubernetes:traefik.io/v1alpha1:IngressRoute";
  return { op, urn, type, new: state, ...fields } as unknown as StepEventMetadata;
}

test("contains the resource's name and kind, and the paths of changed properties without their values", () => {
  const detailedDiff = {
    "spec.routes[1].match": { diffKind: "update", inputDiff: true },
    "spec.routes[0].middlewares": { diffKind: "add", inputDiff: true },
  };
  const step = stepOf(metadata("update", { detailedDiff } as unknown as Partial<StepEventMetadata>));
  expect(step).toEqual({
    operation: "update",
    type: "IngressRoute",
    name: "wiki-route",
    urn: metadata("update").urn,
    paths: ["spec.routes[0].middlewares", "spec.routes[1].match"],
  });
  expect(JSON.stringify(step)).not.toContain("canary");
  expect(nameOf({ type: "IngressRoute", name: "wiki-route" })).toBe("IngressRoute wiki-route");
});

test("contains the names of the properties if the provider has no paths, and none for a creation", () => {
  expect(stepOf(metadata("update", { diffs: ["spec", "metadata"] }))?.paths).toEqual(["metadata", "spec"]);
  expect(stepOf(metadata("create", { diffs: ["spec"] }))?.paths).toEqual([]);
});

test("is undefined for a component, and for a resource that is unchanged, read or refreshed", () => {
  expect(["same", "read", "refresh", "discard"].map((op) => stepOf(metadata(op)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(
    stepOf(metadata("create", { new: { custom: false } } as unknown as Partial<StepEventMetadata>)),
  ).toBeUndefined();
});

test("is an update if only the options of an unchanged resource differ, with their new values", () => {
  const state = (options: object) => ({ custom: true, ...options });
  const pathsOf = (op: string, old: object, after: object, more: object = {}) =>
    stepOf(metadata(op, { old: state(old), new: state(after), ...more } as unknown as Partial<StepEventMetadata>))
      ?.paths;
  expect([
    pathsOf("same", {}, { protect: true }),
    pathsOf("same", { protect: true, retainOnDelete: true }, { protect: false }),
    pathsOf("same", { protect: true }, { protect: true, retainOnDelete: false }),
    pathsOf("update", { protect: true }, {}, { diffs: ["name"] }),
  ]).toEqual([
    ["protect = true"],
    ["protect = false", "retainOnDelete = false"],
    undefined,
    ["protect = false", "name"],
  ]);
});

test("has the previous resource for a deletion", () => {
  const gone = { new: undefined, old: { custom: true } } as unknown as Partial<StepEventMetadata>;
  expect(stepOf(metadata("delete", gone))?.operation).toBe("delete");
});

test("merges the three parts of a replacement, with the paths of all of them", () => {
  const parts = ["create-replacement", "replace", "delete-replaced"].flatMap(
    (op) => stepOf(metadata(op, op === "replace" ? { diffs: ["mode"] } : {})) ?? [],
  );
  expect(merged(parts).map(({ operation, paths }) => ({ operation, paths }))).toEqual([
    { operation: "replace", paths: ["mode"] },
  ]);
});
