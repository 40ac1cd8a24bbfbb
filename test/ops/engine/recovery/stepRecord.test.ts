import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineError, runEngine } from "../../../../ops/engine/run.ts";
import {
  recordFile,
  isResultUnknown,
  isUnconfirmed,
  readRecord,
  recordSteps,
  writeRecord,
} from "../../../../ops/engine/recovery/stepRecord.ts";

test.each([
  [
    "configured Kubernetes cluster is unreachable: the API server at https://x does not answer: other side closed",
    true,
  ],
  ["Post https://x/api/v1/secrets: EOF", true],
  ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", true],
  ["HTTP 502 Bad Gateway", true],
  ["http2: client connection lost", true],
  ["context deadline exceeded", true],
  ["http2: server sent GOAWAY and closed the connection", true],
  ["write tcp 10.0.0.1:1->10.0.0.2:6443: write: broken pipe", true],
  ["stream error: stream ID 7; INTERNAL_ERROR; received from peer", true],
  ["use of closed network connection", true],
  ["rpc error: code = Unavailable desc = transport is closing", true],
  ["etcdserver: leader changed", true],
  [
    "the server was unable to return a response in the time allotted, but may still be processing the request (patch ingressroutes)",
    true,
  ],
  ['an error on the server ("") has prevented the request from succeeding', true],
  ["driver: bad connection", true],
  ['Put "https://10.0.0.1:6443/x": EOF (the last answer was 404 not found)', true],
  ["use of a proxy failed in an unlisted way", false],
  ["the API server at https://x does not answer: connect ECONNREFUSED 127.0.0.1:6443", false],
  ["dial tcp 127.0.0.1:6443: connect: connection refused", false],
  ['ingressroutes.traefik.io "wiki" already exists', false],
  ["forbidden: user may not create secrets", false],
  ["dial tcp: lookup k3s.example.org: no such host", false],
  ['IngressRoute.traefik.io "wiki" is invalid: spec.routes: Required value', false],
  ['admission webhook "x" denied the request: no', false],
  ["tls: failed to verify certificate: x509: certificate signed by unknown authority", false],
  ["pq: password authentication failed for user", false],
  ["HTTP Error '400 Bad Request' during request: {name: [exists]}", false],
  ["HTTP Error '502 Bad Gateway' during request: ", true],
  ['secrets "timeout-tool" is invalid', false],
  ["resource default/presets was not successfully created: quota", false],
  ["dial tcp 10.0.0.1:6443: i/o timeout", true],
  ['Post "https://certificates.example.org/api": EOF', true],
])("decides whether the result is unknown after an error: %s -> %s", (error, unknown) => {
  expect(isResultUnknown(error)).toBe(unknown);
});

test.each([
  ["use of a proxy failed in an unlisted way", true],
  ["Operation cannot be fulfilled: the object has been modified; conflict", false],
  ['IngressRoute.traefik.io "wiki" is invalid: spec.routes: Required value', false],
  ["x509: certificate signed by unknown authority", false],
  ["http2: client connection lost", true],
])("decides whether a failed change in Kubernetes is unconfirmed: %s -> %s", (error, unconfirmed) => {
  const type = "kubernetes:traefik.io/v1alpha1:IngressRoute";
  expect(isUnconfirmed({ urn: "u", type, changed: "update" }, `u: ${error}`)).toBe(unconfirmed);
  expect(isUnconfirmed({ urn: "u", type: "authentik:index/outpost:Outpost", changed: "update" }, `u: ${error}`)).toBe(
    isResultUnknown(error),
  );
});

test.each([
  ["presets-route", 'resource default/presets: ingressroutes.traefik.io "presets" already exists', false],
  ["presets-route", "the object already exists: timeout", false],
  ["geofence", "quota exceeded", false],
  ["certificates", "unexpected EOF", true],
])(
  "decides whether a failed creation of %s is unconfirmed, without its names: %s -> %s",
  (name, error, unconfirmed) => {
    const type = "kubernetes:traefik.io/v1alpha1:IngressRoute";
    const urn = `urn:pulumi:dev::gatehouse::${type}::${name}`;
    expect(isUnconfirmed({ urn, type }, `${name}: ${error}`)).toBe(unconfirmed);
  },
);

/** A secret in an event of the engine (captured from CLI 3.250). */
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "[secret]" };

describe("of a run", () => {
  const urn = (name: string): string => `urn:pulumi:dev::gatehouse::kubernetes:core/v1:Secret::${name}`;
  const failed = (name: string, op = "create"): EngineEvent => {
    const type = "kubernetes:core/v1:Secret";
    const data = { key: SECRET };
    const state = { type, urn: urn(name), custom: true, parent: "p", provider: "q", protect: true, inputs: { data } };
    return { resOpFailedEvent: { metadata: { op, urn: urn(name), type, new: state } } } as unknown as EngineEvent;
  };
  const reported = (name: string, message: string): EngineEvent =>
    ({ diagnosticEvent: { urn: urn(name), message, severity: "error" } }) as unknown as EngineEvent;

  test("reports only steps without a response as unknown, and errors with their names", async () => {
    const run = runEngine(
      () => undefined,
      ({ onEvent }) => {
        const events = [
          reported("a", "unexpected EOF"),
          failed("a"),
          reported("b", "already exists"),
          failed("b"),
          reported("c", "unexpected EOF"),
          failed("c", "update"),
          reported("d", "conflict"),
          failed("d", "update"),
        ];
        events.forEach(onEvent);
        return Promise.reject(new Error("code: 255"));
      },
    );
    const error = await run.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineError);
    const { unconfirmed, errors, failed: steps } = error as EngineError;
    expect(unconfirmed).toEqual([
      {
        urn: urn("a"),
        type: "kubernetes:core/v1:Secret",
        custom: true,
        parent: "p",
        provider: "q",
        protect: true,
        inputs: { data: { key: "[secret]" } },
      },
      { urn: urn("c"), type: "kubernetes:core/v1:Secret", changed: "update" },
    ]);
    expect(errors).toEqual(["a: unexpected EOF", "b: already exists", "c: unexpected EOF", "d: conflict"]);
    expect(steps.map(({ name, operation }) => [name, operation])).toEqual([
      ["a", "create"],
      ["b", "create"],
      ["c", "update"],
      ["d", "update"],
    ]);
  });
});

describe("the record", () => {
  let folder: string;
  let stack: Stack;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gatehouse-creations-"));
    stack = { name: "dev", workspace: { workDir: folder } } as unknown as Stack;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("contains each creation once, is readable by its owner only, and is deleted", async () => {
    expect(await readRecord(stack)).toEqual([]);
    recordSteps(stack, []);
    expect(readdirSync(folder)).toEqual([]);
    recordSteps(stack, [{ urn: "a", type: "t" }]);
    recordSteps(stack, [
      { urn: "a", type: "t" },
      { urn: "b", type: "t" },
    ]);
    expect(await readRecord(stack)).toEqual([
      { urn: "a", type: "t" },
      { urn: "b", type: "t" },
    ]);
    expect(statSync(recordFile(folder, "dev")).mode & 0o777).toBe(0o600);
    writeRecord(stack, []);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is replaced as a whole: it stays if the new one cannot be written", async () => {
    recordSteps(stack, [
      { urn: "a", type: "t" },
      { urn: "b", type: "t" },
    ]);
    // The unfinished file has a longer name.
    const long = { ...stack, name: "x".repeat(230) } as unknown as Stack;
    recordSteps(long, [{ urn: "a", type: "t" }]);
    expect(() => writeRecord(long, [{ urn: "b", type: "t" }])).toThrow("ENAMETOOLONG");
    expect(await readRecord(long)).toEqual([{ urn: "a", type: "t" }]);
    rmSync(recordFile(folder, long.name));
    writeRecord(stack, [{ urn: "b", type: "t" }]);
    expect(await readRecord(stack)).toEqual([{ urn: "b", type: "t" }]);
    expect(readdirSync(folder)).toEqual(["creations-dev.jsonl"]);
    expect(statSync(recordFile(folder, "dev")).mode & 0o777).toBe(0o600);
  });

  test("ignores an incomplete line, whose creation had not begun", async () => {
    recordSteps(stack, [{ urn: "a", type: "t" }]);
    appendFileSync(recordFile(folder, "dev"), '{"urn":"b","ty');
    expect(await readRecord(stack)).toEqual([{ urn: "a", type: "t" }]);
    recordSteps(stack, [{ urn: "c", type: "t" }]);
    expect(await readRecord(stack)).toEqual([
      { urn: "a", type: "t" },
      { urn: "c", type: "t" },
    ]);
  });
});
