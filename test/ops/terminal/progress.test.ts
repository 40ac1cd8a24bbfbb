import { afterEach, expect, test, vi } from "vitest";
import { createProgress } from "../../../ops/terminal/progress.ts";

afterEach(() => {
  vi.useRealTimers();
});

function recorder(isTTY: boolean, colours = false) {
  const written: string[] = [];
  const output = { isTTY, columns: 30, write: (text: string) => written.push(text) > 0, hasColors: () => colours };
  return { progress: createProgress(output), text: () => written.join("").replaceAll(/\d+\.\d s/g, "0.0 s") };
}

test("prints a line at the start and at the end of each step without a terminal", async () => {
  const { progress, text } = recorder(false);
  const result = await progress.step("Outer", async (report) => {
    report("half");
    progress.note("By the way.");
    return progress.step("Inner", () => Promise.resolve(7), "20 s");
  });
  expect(result).toBe(7);
  expect(text()).toBe("… Outer\nBy the way.\n… Inner (usually 20 s)\n✔ Inner (0.0 s)\n✔ Outer (0.0 s)\n");
});

test("prints the progress of a long step once a minute without a terminal, if it changed", async () => {
  vi.useFakeTimers();
  const { progress, text } = recorder(false);
  await progress.step("Build", async (report) => {
    report("3 packages");
    await vi.advanceTimersByTimeAsync(150_000);
    report("9 packages");
    await vi.advanceTimersByTimeAsync(30_000);
  });
  expect(text()).toBe(
    "… Build\n… Build: 3 packages (1 min 0 s)\n… Build: 9 packages (3 min 0 s)\n✔ Build (3 min 0 s)\n",
  );
});

test("prints that a step failed, and throws its error", async () => {
  const { progress, text } = recorder(false);
  const error = new Error("broken");
  await expect(progress.step("Outer", () => Promise.reject(error))).rejects.toBe(error);
  expect(text()).toBe("… Outer\n✖ Outer (0.0 s)\n");
});

test("redraws running steps below finished ones on a terminal, each on one line", async () => {
  const { progress, text } = recorder(true);
  await progress.step("A title that is wider than the terminal", () => {
    progress.note("A note.");
    return Promise.resolve();
  });
  const spinner = "⠋ A title that is wider than…\n";
  const wipe = "\u001b[1A\u001b[J";
  expect(text()).toBe(`${spinner}${wipe}A note.\n${spinner}${wipe}✔ A title that is wider than the terminal (0.0 s)\n`);
});

test.each([
  ["a terminal with colours", true, true, "\u001b[32m✔\u001b[39m Build"],
  ["a terminal without colours", true, false, "✔ Build"],
  ["a log", false, true, "✔ Build"],
])("has the colours of the output: %s", async (_name, isTTY, colours, expected) => {
  const { progress, text } = recorder(isTTY, colours);
  await progress.step("Build", () => Promise.resolve());
  expect(text()).toContain(expected);
});
