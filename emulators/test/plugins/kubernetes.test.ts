import { describe, expect, it } from "vitest";

import {
  idOf,
  markSecrets,
  importedInputs,
  isPatch,
  lookup,
  normalized,
  refreshedInputs,
  stateOf,
  withName,
} from "../../plugins/kubernetes/objects.ts";
import { compare } from "../../plugins/kubernetes/replacement.ts";
import { Secret, UNKNOWN } from "../../plugins/protocol/plugin.ts";
import type { Values } from "../../plugins/protocol/plugin.ts";

describe("a change of inputs", () => {
  const object = (apiVersion: string, kind: string, fields: Values): Values => ({
    apiVersion,
    kind,
    metadata: { name: "x", namespace: "shop" },
    ...fields,
  });
  const deployment = (fields: Values): Values => object("apps/v1", "Deployment", fields);

  it.each<[string, Values, Values, string[]]>([
    ["a new image", deployment({ spec: { image: "a" } }), deployment({ spec: { image: "b" } }), []],
    [
      "another selector",
      deployment({ spec: { selector: { a: 1 } } }),
      deployment({ spec: { selector: { a: 2 } } }),
      ["spec.selector.a"],
    ],
    ["a first spec with a selector", deployment({}), deployment({ spec: { selector: { a: 1 } } }), ["spec"]],
    [
      "a field that only starts alike",
      deployment({ spec: { selectors: 1 } }),
      deployment({ spec: { selectors: 2 } }),
      [],
    ],
    [
      "the data of a Secret",
      object("v1", "Secret", { data: { a: "1" } }),
      object("v1", "Secret", { data: { a: "2" } }),
      ["data.a"],
    ],
    [
      "the template of a Job",
      object("batch/v1", "Job", { spec: { template: 1 } }),
      object("batch/v1", "Job", { spec: { template: 2 } }),
      ["spec.template"],
    ],
    [
      "the data of another group's Secret",
      object("x.io/v1", "Secret", { data: 1 }),
      object("x.io/v1", "Secret", { data: 2 }),
      [],
    ],
  ])("requires a replacement for an immutable field only: %s", (_name, olds, news, replaces) => {
    expect(compare(olds, news)).toMatchObject({
      changes: true,
      replaces,
      deleteBeforeReplace: replaces.length > 0,
    });
  });

  it("does not delete before the replacement when the name changes", () => {
    const olds = object("v1", "ConfigMap", {});
    expect(compare(olds, { ...olds, metadata: { name: "y", namespace: "shop" } })).toEqual({
      changes: true,
      replaces: ["metadata.name"],
      detailed: { "metadata.name": "update-replace" },
      deleteBeforeReplace: false,
    });
  });

  it("updates the fields of a patch in place, but not its object", () => {
    const olds = object("v1", "ConfigMap", { data: { a: "1" } });
    const news = object("v1", "ConfigMap", { data: { a: "2" } });
    expect(compare(olds, news, { isPatch: true }).detailed).toEqual({ "data.a": "update" });
    const other = { ...olds, metadata: { name: "y", namespace: "shop" } };
    expect(compare(olds, other, { isPatch: true }).replaces).toEqual(["metadata.name"]);
  });

  it("replaces an object that is not ready, although nothing has changed", () => {
    const job = object("batch/v1", "Job", {});
    expect(compare(job, job, { unready: true })).toEqual({
      changes: true,
      replaces: ['.metadata.annotations["pulumi.com/replaceUnready"]'],
      detailed: {},
      deleteBeforeReplace: true,
    });
  });
});

describe("objects", () => {
  it("are identified by type and id", () => {
    expect(lookup("kubernetes:core/v1:Secret", "shop/login")).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "shop" },
    });
    expect(lookup("kubernetes:traefik.io/v1alpha1:IngressRoute", "x")).toMatchObject({
      apiVersion: "traefik.io/v1alpha1",
    });
    expect(idOf({ metadata: { name: "shop" } })).toBe("shop");
  });

  it("keep their generated or given name", () => {
    const urn = "urn:pulumi:dev::gatehouse::kubernetes:core/v1:Secret::login";
    const drawn = withName({ labels: { a: "b" } }, undefined, urn);
    expect(drawn).toEqual({
      labels: { a: "b" },
      name: expect.stringMatching(/^login-[0-9a-f]{8}$/) as unknown,
      annotations: { "pulumi.com/autonamed": "true" },
    });
    expect(withName({}, drawn, urn).name).toBe(drawn.name);
    expect(withName({}, { name: "chosen" }, urn).name).not.toBe("chosen");
    expect(withName({ name: UNKNOWN }, drawn, urn)).toEqual({ name: UNKNOWN });
  });

  it("are patches for the patch types", () => {
    expect(isPatch("kubernetes:core/v1:ConfigMapPatch", { kind: "ConfigMap" })).toBe(true);
    expect(isPatch("kubernetes:core/v1:ConfigMap", { kind: "ConfigMap" })).toBe(false);
    expect(isPatch("kubernetes:example.org/v1:CarPatch", { kind: "CarPatch" })).toBe(false);
  });

  it("contain the text of a Secret as in the server, unless part of it is unknown", () => {
    const secret = { apiVersion: "v1", kind: "Secret", data: { a: "Yg==" } };
    expect(normalized({ ...secret, stringData: { c: "d" } })).toEqual({ ...secret, data: { a: "Yg==", c: "ZA==" } });
    expect(normalized({ ...secret, stringData: { c: UNKNOWN } })).toEqual({ ...secret, stringData: { c: UNKNOWN } });
    expect(markSecrets(secret)).toEqual({ ...secret, data: new Secret(secret.data) });
  });

  it("are recorded with inputs and manager, as by the real provider", () => {
    const live = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", uid: "1" }, data: { a: "b", c: "d" } };
    const inputs = { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } };
    expect(stateOf(live, inputs, "me")).toEqual({
      ...live,
      __inputs: inputs,
      __initialApiVersion: "v1",
      __fieldManager: "me",
    });
  });

  it("are imported without fields that only the server sets", () => {
    const live = { kind: "ConfigMap", metadata: { name: "x", uid: "1", labels: {} }, data: { a: "b" }, status: {} };
    expect(JSON.parse(JSON.stringify(importedInputs(live)))).toEqual({
      kind: "ConfigMap",
      metadata: { name: "x", labels: {} },
      data: { a: "b" },
    });
  });
});

describe("a refresh", () => {
  const refresh = (input: Values, before: Values, now: Values): Values => {
    const head = { apiVersion: "v1", kind: "X" };
    const { spec } = refreshedInputs({ ...head, spec: input }, { ...head, spec: before }, { ...head, spec: now });
    return spec as Values;
  };

  it.each<[string, Values, Values, Values, Values]>([
    ["keeps the spelling of the inputs", { cpu: "0.5" }, { cpu: "500m" }, { cpu: "500m" }, { cpu: "0.5" }],
    ["takes over a change", { cpu: "0.5", a: 1 }, { cpu: "500m", a: 1 }, { cpu: "1", a: 1 }, { cpu: "1", a: 1 }],
    ["sees a loss", { a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1 }, { a: 1, b: undefined }],
    ["leaves alone what others add", { a: 1 }, { a: 1 }, { a: 1, theirs: 2 }, { a: 1 }],
    [
      "compares entries of lists",
      { l: [{ a: 1, b: 1 }] },
      { l: [{ a: 1, b: 1, c: 0 }] },
      { l: [{ a: 2, b: 1, c: 0 }] },
      { l: [{ a: 2, b: 1 }] },
    ],
    ["does not see what is added to a list", { l: [1] }, { l: [1] }, { l: [1, 2] }, { l: [1] }],
    ["takes over a list that shrank", { l: [1, 2] }, { l: [1, 2] }, { l: [1] }, { l: [1] }],
  ])("%s", (_name, input, before, now, expected) => {
    expect(refresh(input, before, now)).toEqual(expected);
  });
});
