import { expect, test } from "vitest";
import { polls } from "../../../ops/engine/polls.ts";
import { runEngine } from "../../../ops/engine/run.ts";

const quiet = (): void => {};

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
