import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineError, runEngine } from "../../../ops/deploy/run.ts";
import { forgetLost, isLost, noteLost, readLost } from "../../../ops/lost.ts";

test.each([
  [
    "configured Kubernetes cluster is unreachable: the API server at https://x does not answer: other side closed",
    true,
  ],
  ["Post https://x/api/v1/secrets: EOF", true],
  ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", true],
  ["HTTP 502 Bad Gateway", true],
  ["the API server at https://x does not answer: connect ECONNREFUSED 127.0.0.1:6443", false],
  ["dial tcp 127.0.0.1:6443: connect: connection refused", false],
  ['ingressroutes.traefik.io "wiki" already exists', false],
  ["forbidden: user may not create secrets", false],
])("%s: %s", (error, lost) => {
  expect(isLost(error)).toBe(lost);
});

describe("of a run", () => {
  const urn = (name: string): string => `urn:pulumi:dev::gatehouse::kubernetes:core/v1:Secret::${name}`;
  const failed = (name: string, op = "create"): EngineEvent => {
    const type = "kubernetes:core/v1:Secret";
    const state = { type, urn: urn(name), custom: true, parent: "p", provider: "q", inputs: { data: "[secret]" } };
    return { resOpFailedEvent: { metadata: { op, urn: urn(name), type, new: state } } } as unknown as EngineEvent;
  };
  const said = (name: string, message: string): EngineEvent =>
    ({ diagnosticEvent: { urn: urn(name), message, severity: "error" } }) as unknown as EngineEvent;

  test("only creations whose answer was lost are unknown; the errors are told with names", async () => {
    const run = runEngine(
      () => undefined,
      ({ onEvent }) => {
        const events = [
          ...[said("a", "unexpected EOF"), failed("a"), said("b", "already exists"), failed("b")],
          ...[said("c", "unexpected EOF"), failed("c", "update")],
        ];
        events.forEach(onEvent);
        return Promise.reject(new Error("code: 255"));
      },
    );
    const error = await run.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineError);
    const { lost, errors, failed: steps } = error as EngineError;
    expect(lost).toEqual([
      {
        urn: urn("a"),
        type: "kubernetes:core/v1:Secret",
        custom: true,
        parent: "p",
        provider: "q",
        inputs: { data: "[secret]" },
      },
    ]);
    expect(errors).toEqual(["a: unexpected EOF", "b: already exists", "c: unexpected EOF"]);
    expect(steps.map(({ name, operation }) => [name, operation])).toEqual([
      ["a", "create"],
      ["b", "create"],
      ["c", "update"],
    ]);
  });
});

describe("the note", () => {
  let folder: string;
  let stack: Stack;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gatehouse-lost-"));
    stack = { name: "dev", workspace: { workDir: folder } } as unknown as Stack;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("keeps each once, for its owner alone, until it is forgotten", async () => {
    expect(await readLost(stack)).toEqual([]);
    await noteLost(stack, []);
    expect(readdirSync(folder)).toEqual([]);
    await noteLost(stack, [{ urn: "a", type: "t" }]);
    await noteLost(stack, [
      { urn: "a", type: "t" },
      { urn: "b", type: "t" },
    ]);
    expect(await readLost(stack)).toEqual([
      { urn: "a", type: "t" },
      { urn: "b", type: "t" },
    ]);
    expect(statSync(join(folder, "lost-dev.json")).mode & 0o777).toBe(0o600);
    await forgetLost(stack);
    expect(readdirSync(folder)).toEqual([]);
  });
});
