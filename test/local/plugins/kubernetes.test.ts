import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Cluster } from "../../../local/plugins/kubernetes/cluster.ts";
import { accessOf } from "../../../local/plugins/kubernetes/kubeconfig.ts";
import {
  foretold,
  idOf,
  importedInputs,
  lookup,
  refreshedInputs,
  stateOf,
  withName,
} from "../../../local/plugins/kubernetes/objects.ts";
import { untilGone, untilReady } from "../../../local/plugins/kubernetes/readiness.ts";
import { compare } from "../../../local/plugins/kubernetes/replacement.ts";
import { UNKNOWN } from "../../../local/plugins/protocol/plugin.ts";
import type { Values } from "../../../local/plugins/protocol/plugin.ts";

const NEVER = new AbortController().signal;

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
  ])("%s", (_name, olds, news, replaces) => {
    expect(compare(olds, news, [])).toMatchObject({
      changes: true,
      replaces,
      deleteBeforeReplace: replaces.length > 0,
    });
  });

  it("leaves both objects standing when the name changes", () => {
    const olds = object("v1", "ConfigMap", {});
    expect(compare(olds, { ...olds, metadata: { name: "y", namespace: "shop" } }, [])).toEqual({
      changes: true,
      replaces: ["metadata.name"],
      detailed: { "metadata.name": "update-replace" },
      deleteBeforeReplace: false,
    });
  });

  it("changes the data of a ConfigMap in place when told to, unless it is immutable", () => {
    const olds = object("v1", "ConfigMap", { data: { a: "1" } });
    const news = object("v1", "ConfigMap", { data: { a: "2" } });
    expect(compare(olds, news, ["ConfigMap"]).detailed).toEqual({ "data.a": "update" });
    expect(compare({ ...olds, immutable: true }, { ...news, immutable: true }, ["ConfigMap"]).replaces).toEqual([
      "data.a",
    ]);
  });
});

describe("objects", () => {
  it("are looked up by type and id", () => {
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

  it("keep the name they drew, or the one they were given", () => {
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

  it("are recorded without who manages what, and a Secret with its plain text", () => {
    const live = { kind: "Secret", metadata: { name: "x", managedFields: [{}] }, data: { a: "Yg==", c: "ZA==" } };
    expect(stateOf(live, { stringData: { a: "old" } }, "me")).toEqual({
      ...live,
      metadata: { name: "x", managedFields: undefined },
      stringData: { a: "b" },
      __fieldManager: "me",
    });
  });

  it("are foretold without what the server will draw", () => {
    const state = {
      kind: "Service",
      metadata: { name: "x", uid: "1" },
      spec: { type: "ClusterIP", clusterIP: "127.96.0.9" },
    };
    const told = foretold(state, {});
    expect(told.spec).toEqual({ type: "ClusterIP", clusterIP: UNKNOWN, clusterIPs: UNKNOWN });
    expect(told.metadata).toMatchObject({ name: "x", uid: UNKNOWN });
    expect(foretold(state, { spec: { clusterIP: "127.96.0.9" } }).spec).toEqual(state.spec);
  });

  it("are imported without what no one can set", () => {
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
      "looks into lists",
      { l: [{ a: 1, b: 1 }] },
      { l: [{ a: 1, b: 1, c: 0 }] },
      { l: [{ a: 2, b: 1, c: 0 }] },
      { l: [{ a: 2, b: 1 }] },
    ],
    ["takes over a list that grew", { l: [1] }, { l: [1] }, { l: [1, 2] }, { l: [1, 2] }],
  ])("%s", (_name, input, before, now, expected) => {
    expect(refresh(input, before, now)).toEqual(expected);
  });
});

describe("waiting", () => {
  const cluster = (lives: readonly (Values | undefined)[], pods: readonly Values[] = []): Cluster => {
    let call = 0;
    const answers = {
      read: () => Promise.resolve(lives[Math.min(call++, lives.length - 1)]),
      list: () => Promise.resolve(pods),
    };
    return answers as unknown as Cluster;
  };
  const deployment = (available: number): Values => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", generation: 2, uid: "1" },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: available },
  });

  it("ends when the Deployment works", async () => {
    const live = await untilReady(cluster([deployment(1)]), deployment(0), Date.now() + 5000, NEVER);
    expect(live).toEqual(deployment(1));
  });

  it("does not believe a status of before the change", async () => {
    const stale = { ...deployment(1), metadata: { ...(deployment(1).metadata as Values), generation: 3 } };
    await expect(untilReady(cluster([stale]), stale, 0, NEVER)).rejects.toThrow(
      "1 of 1 replicas are updated and available",
    );
  });

  it("says at the deadline why the containers do not run", async () => {
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const pods = [
      { metadata: { name: "web-1" }, status: { containerStatuses: [{ name: "main", state: { waiting } }] } },
    ];
    await expect(untilReady(cluster([], pods), deployment(0), 0, NEVER)).rejects.toMatchObject({
      reasons: [
        "0 of 1 replicas are updated and available",
        'container "main" of web-1: ImagePullBackOff: no such image',
      ],
    });
  });

  it("gives up on a failed Job at once", async () => {
    const conditions = [{ type: "Failed", status: "True", message: "it has reached the backoff limit" }];
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x" }, status: { conditions } };
    const waited = untilReady(cluster([job]), job, Date.now() + 60_000, NEVER);
    await expect(waited).rejects.toThrow("the job failed: it has reached the backoff limit");
  });

  it("ends when the object is gone, or is another one", async () => {
    const other = { ...deployment(1), metadata: { name: "web", uid: "2" } };
    await untilGone(cluster([undefined]), deployment(1), 0, NEVER);
    await untilGone(cluster([other]), deployment(1), 0, NEVER);
    const held = { ...deployment(1), metadata: { uid: "1", finalizers: ["example.org/keep"] } };
    await expect(untilGone(cluster([held]), deployment(1), 0, NEVER)).rejects.toThrow(
      'it is still being deleted; finalizers: ["example.org/keep"]',
    );
  });
});

describe("the kubeconfig", () => {
  const text = JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443/", "certificate-authority": "ca.pem" } }],
    users: [{ name: "u", user: { token: "t0ken", "client-key-data": Buffer.from("key").toString("base64") } }],
    contexts: [{ name: "dev", context: { cluster: "c", user: "u", namespace: "shop" } }],
    "current-context": "dev",
  });

  it("is read from a file, with the files it names beside it", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-kubeconfig-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "config"), text);
    writeFileSync(join(folder, "ca.pem"), "authority");
    expect(accessOf({ kubeconfig: join(folder, "config") })).toEqual({
      server: "https://127.0.0.1:6443",
      namespace: "shop",
      authorization: "Bearer t0ken",
      tls: { ca: Buffer.from("authority"), cert: undefined, key: Buffer.from("key"), rejectUnauthorized: true },
    });
  });

  it("says which contexts there are", () => {
    expect(() => accessOf({ kubeconfig: text, context: "prod" })).toThrow(
      'the kubeconfig has no context "prod", only: dev; set kubernetes:context',
    );
  });
});
