/** A process whose output has no reader any longer, while Pulumi reports uncaught exceptions. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const MODULE = join(import.meta.dirname, "../../../ops/terminal/closedOutput.ts");
/** Writes after its readers have ended, and ends with 0, or with the number of exceptions when it has reported a hundred of them. */
const PROGRAM = `
  let reported = 0;
  process.on("uncaughtException", (error) => {
    reported += 1;
    if (reported === 100) process.exit(reported);
    console.error(error);
  });
  process.stdin.resume().on("end", () => {
    const failed = (stream) => new Promise((resolve) => stream.write("lost", resolve));
    void Promise.all([process.stdout, process.stderr].map(failed)).then(() =>
      setImmediate(() => reported === 0 && process.exit(0)),
    );
  });
`;

async function exitCode(program: string): Promise<unknown> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "pipe" });
  child.stdout.destroy();
  child.stderr.destroy();
  child.stdin.end();
  return (await once(child, "exit"))[0];
}

test("completes after its output is closed", async () => {
  const ignoring = `import { ignoreClosedOutput } from ${JSON.stringify(MODULE)}; ignoreClosedOutput();`;
  expect(await exitCode(ignoring + PROGRAM)).toBe(0);
});

test("control: reports the error of its report without end", async () => {
  expect(await exitCode(PROGRAM)).toBe(100);
});

test("exits with 1 if the disk takes only a part of a report", async () => {
  const gatehouse = join(import.meta.dirname, "../../../ops/commands/gatehouse.ts");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // A limit of the size of files has the same effect as an almost full disk: the first write is incomplete, the next one fails.
  const command = `ulimit -f 8; exec "${process.execPath}" "${gatehouse}" plan local --json > report.json`;
  const options = { cwd: folder, env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" } };
  const child = spawn("bash", ["-c", command], { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const [error, ended] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect([ended[0], error]).toEqual([
    1,
    "standard output is incomplete (EFBIG); free disk space, and run the command again\n",
  ]);
  expect(statSync(join(folder, "report.json")).size).toBe(8 * 1024);
});

test.runIf(existsSync("/dev/full"))("exits with 1 if the disk has no room for the output of gatehouse", async () => {
  const gatehouse = join(import.meta.dirname, "../../../ops/commands/gatehouse.ts");
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [gatehouse, "--help"], { stdio: ["ignore", full, "pipe"] });
  closeSync(full);
  const [error, ended] = await Promise.all([text(child.stderr ?? Readable.from([])), once(child, "exit")]);
  expect([ended[0], error]).toEqual([
    1,
    "standard output is incomplete (ENOSPC); free disk space, and run the command again\n",
  ]);
});
