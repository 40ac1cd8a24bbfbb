/** The worker of a server that keeps everything in memory; for the one with Postgres see startup.live.test.ts. */
import { expect, test } from "vitest";
import { defaults } from "../../authentik/defaults.ts";
import { MemoryTasks } from "../../authentik/memoryTasks.ts";
import { Random } from "../../authentik/random.ts";
import { DELAYS } from "../../authentik/tasks.ts";
import type { Task } from "../../authentik/tasks.ts";
import { Worker } from "../../authentik/worker.ts";
import { waiting } from "./deployment.ts";

/** Waits a tenth of the time. */
class Hurried extends Random {
  override wait(least: number, most: number, signal?: AbortSignal): Promise<void> {
    return super.wait(least / 10, most / 10, signal);
  }
}

/** The defaults in the order in which a worker with this seed has them made. */
async function orderOf(seed: number): Promise<string[]> {
  const run: Task[] = [];
  const worker = new Worker(new MemoryTasks((task) => run.push(task)), { random: new Hurried(seed), bootstrap: {} });
  worker.start();
  await expect.poll(() => run.length, waiting).toBe(defaults.length);
  worker.stop();
  return run.map(({ argument }) => (JSON.parse(argument) as { path: string }).path);
}

test("creates every default once, in an order that the seed decides", async () => {
  const [first, again, other] = await Promise.all([orderOf(1), orderOf(1), orderOf(2)]);
  expect(first.toSorted()).toEqual(defaults.map(({ path }) => path).toSorted());
  expect(again[0]).toBe(first[0]);
  expect(other).not.toEqual(first);
});

test("keeps delays within their limits", () => {
  const random = new Random(3);
  const values = Array.from({ length: 1000 }, () => random.between(...DELAYS.create_default));
  expect([Math.min(...values) >= 0, Math.max(...values) < 3000]).toEqual([true, true]);
  expect(new Random(3).between(0, 1)).toBe(new Random(3).between(0, 1));
});
