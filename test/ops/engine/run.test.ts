import type { StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { expect, test } from "vitest";
import { polls } from "../../../ops/engine/polls.ts";
import { runEngine, type Watch } from "../../../ops/engine/run.ts";

const quiet = (): void => {};
const EVENT = { sequence: 0, timestamp: 0 };

function step(name: string, custom = true): StepEventMetadata {
  const type = "demo:index:Demo";
  const urn = `urn:pulumi:local::gatehouse::${type}::${name}`;
  const state = { type, urn, custom, id: "", parent: "", inputs: {}, outputs: {}, provider: "" };
  return { op: "create", urn, type, provider: "", new: state };
}

test("starts no run after an interruption", async () => {
  let runs = 0;
  const run = (): Promise<void> => {
    runs += 1;
    return Promise.resolve();
  };
  const interrupted = AbortSignal.abort("SIGINT");
  await expect(runEngine(quiet, run, interrupted)).rejects.toMatchObject({ errors: ["interrupted"], done: [] });
  expect(runs).toBe(0);
  await runEngine(quiet, run, new AbortController().signal);
  expect(runs).toBe(1);
});

test.each([
  ["SIGINT", ["stdin"], false],
  ["SIGINT", ["stdout"], false],
  ["SIGINT", ["stderr"], false],
  ["SIGINT", [], true],
  ["SIGTERM", ["stdin", "stdout", "stderr"], true],
] as const)("after %s with a terminal as %j, stops the engine itself: %s", async (signal, terminals, expected) => {
  const streams = [process.stdin, process.stdout, process.stderr];
  const before = streams.map(({ isTTY }) => isTTY);
  const set = (values: readonly boolean[]): void =>
    streams.forEach((stream, index) => Object.assign(stream, { isTTY: values[index] }));
  set((["stdin", "stdout", "stderr"] as const).map((name) => (terminals as readonly string[]).includes(name)));
  const abort = new AbortController();
  let stopped: boolean | undefined;
  try {
    const run = (watch: Watch): Promise<void> => {
      abort.abort(signal);
      stopped = watch.signal.aborted;
      return Promise.resolve();
    };
    await runEngine(quiet, run, abort.signal);
  } finally {
    set(before);
  }
  expect(stopped).toBe(expected);
});

test("ends a wait at an interruption, without another check", async () => {
  const abort = new AbortController();
  let checks = 0;
  const check = (): Promise<boolean> => {
    checks += 1;
    setImmediate(() => abort.abort());
    return Promise.resolve(false);
  };
  expect([await polls(check, 600_000, abort.signal), checks]).toEqual([false, 1]);
});

test("reports the step that runs longest, and the number of others", async () => {
  const reported: string[] = [];
  await runEngine(
    (detail) => reported.push(detail),
    ({ onEvent }) => {
      onEvent({ ...EVENT, resourcePreEvent: { metadata: step("component", false) } });
      for (const name of ["server", "worker", "route"])
        onEvent({ ...EVENT, resourcePreEvent: { metadata: step(name) } });
      onEvent({ ...EVENT, resOutputsEvent: { metadata: step("route") } });
      onEvent({ ...EVENT, resOpFailedEvent: { metadata: step("server"), status: 1, steps: 1 } });
      onEvent({ ...EVENT, resOutputsEvent: { metadata: step("worker") } });
      return Promise.resolve();
    },
  );
  expect(reported).toEqual([
    "create server",
    "create server and 1 more",
    "create server and 2 more",
    "create server and 1 more",
    "create worker",
  ]);
});
