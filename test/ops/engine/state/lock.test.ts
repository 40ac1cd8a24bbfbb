import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteLockOwner, recordLockOwner, releaseStaleLock } from "../../../../ops/engine/state/lock.ts";

/** No process has it: the kernel's own limit is lower (proc_sys_kernel(5), pid_max). */
const NONE = 2 ** 22 + 1;

let backend: string;
let cancelled: number;
beforeEach(() => {
  backend = mkdtempSync(join(tmpdir(), "gatehouse-lock-"));
  cancelled = 0;
});
afterEach(() => rmSync(backend, { recursive: true }));

function stackOn(url: string): Stack {
  const workspace = { workDir: backend, envVars: { PULUMI_BACKEND_URL: url } };
  const cancel = (): Promise<void> => {
    cancelled += 1;
    return Promise.resolve();
  };
  return { name: "dev", workspace, cancel } as unknown as Stack;
}

function writeLock(fields: object): void {
  const folder = join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev");
  mkdirSync(folder, { recursive: true });
  const lock = { pid: NONE, username: "kari", hostname: hostname(), timestamp: "2026-11-21T10:00:00Z", ...fields };
  const file = join(folder, `${JSON.stringify(fields).length}.json`);
  writeFileSync(file, JSON.stringify(lock));
  writeFileSync(`${file}.attrs`, JSON.stringify({ "user.content_type": "text/plain" }));
}

test("changes nothing when the stack is not locked", async () => {
  await releaseStaleLock(stackOn(`file://${backend}`));
  expect(cancelled).toBe(0);
});

test.each(["absolute", "relative"])("releases the lock of a process that has ended, %s URL", async (kind) => {
  const stack = stackOn(kind === "relative" ? "file://./" : `file://${backend}`);
  recordLockOwner(stack);
  writeLock({});
  // The engine was killed, and this process not.
  deleteLockOwner(stack);
  await releaseStaleLock(stack);
  expect(cancelled).toBe(1);
});

test.each([
  ["that runs", { pid: process.pid }, `process ${process.pid} of kari on ${hostname()}`],
  ["of another machine", { hostname: "elsewhere" }, `process ${NONE} of kari on elsewhere`],
])("keeps the lock of a process %s, and reports its owner", async (_, fields, who) => {
  recordLockOwner(stackOn(`file://${backend}`));
  writeLock({});
  writeLock(fields);
  await expect(releaseStaleLock(stackOn(`file://${backend}`))).rejects.toThrow(
    `stack "dev" is locked by ${who} since 2026-11-21T10:00:00Z. Wait for it. ` +
      "If that process has ended, run: pulumi cancel --stack dev",
  );
  expect(cancelled).toBe(0);
});

const change = (fields: object) => (file: string) =>
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...fields }));

test.each([
  ["of another machine with this host name", change({ boot: "0e7a2a1c-52c5-4a83-8d55-7a0b6e2f1c11" })],
  ["of a version that recorded no machine", change({ boot: undefined })],
  ["of another PID namespace", change({ pidNamespace: "pid:[1]" })],
  ["without a record", (file: string) => rmSync(file)],
])("keeps the lock of a process %s, whose process id means nothing here", async (_, edit) => {
  const stack = stackOn(`file://${backend}`);
  recordLockOwner(stack);
  writeLock({});
  edit(join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev.owner.json"));
  await expect(releaseStaleLock(stack)).rejects.toThrow(
    `stack "dev" is locked by process ${NONE} of kari on ${hostname()} since 2026-11-21T10:00:00Z. ` +
      "No Gatehouse process in this PID namespace took the lock since this machine started, so whether it runs is unknown: " +
      "the machine may have restarted, or the process is in a container or on another machine with the same name. " +
      "Make sure that it has ended, then run: pulumi cancel --stack dev",
  );
  expect(cancelled).toBe(0);
});

test("releases the lock of a process before a restart of the only machine that uses the folder", async () => {
  const stack = stackOn(`file://${backend}`);
  recordLockOwner(stack);
  writeLock({ pid: process.pid });
  await expect(releaseStaleLock(stack, true)).rejects.toThrow("Wait for it.");
  change({ boot: "0e7a2a1c-52c5-4a83-8d55-7a0b6e2f1c11" })(
    join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev.owner.json"),
  );
  await releaseStaleLock(stack, true);
  expect(cancelled).toBe(1);
});

test("does not replace the record of another process, whose lock exists", async () => {
  const stack = stackOn(`file://${backend}`);
  const file = join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev.owner.json");
  writeLock({});
  writeFileSync(file, '{ "pidNamespace": "pid:[1]" }');
  recordLockOwner(stack);
  await expect(releaseStaleLock(stack)).rejects.toThrow(
    "No Gatehouse process in this PID namespace took the lock since this machine started",
  );
  expect(cancelled).toBe(0);
});

test("leaves no record of a deployment that has ended, and needs none in a backend that is not a folder", () => {
  const stack = stackOn(`file://${backend}`);
  const file = join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev.owner.json");
  recordLockOwner(stack);
  expect(existsSync(file)).toBe(true);
  deleteLockOwner(stack);
  expect(existsSync(file)).toBe(false);
  recordLockOwner(stackOn("s3://states"));
  deleteLockOwner(stackOn("s3://states"));
  expect(readdirSync(backend)).toEqual([".pulumi"]);
});

test("keeps an incomplete lock, and the locks of a backend that is not a folder", async () => {
  const folder = join(backend, ".pulumi", "locks", "organization", "gatehouse", "dev");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "half.json"), '{"pid":');
  await releaseStaleLock(stackOn(`file://${backend}`));
  await releaseStaleLock(stackOn("s3://states"));
  expect(cancelled).toBe(0);
});
