import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { isRunning } from "../../launcher/isRunning.js";
import { replaceFile } from "../../toolchain/replaceFile.ts";
import { backendFolder } from "./backend.ts";
import { PROJECT_NAME } from "../../../config/files/projectFile.ts";

interface Lock {
  readonly pid: number;
  readonly username: string;
  readonly hostname: string;
  readonly timestamp: string;
}

export class LockedError extends Error {
  override readonly name = "LockedError";
}

/** Where a run of Gatehouse takes its lock: only there can the process id of the lock be looked up. */
interface LockOwner {
  /** Identifies the start of the machine: machines that share a backend can have one image, one host name and one first PID namespace. */
  readonly boot: string;
  /** pid_namespaces(7). Only Linux has them. */
  readonly pidNamespace: string;
}

/**
 * Releases the lock of an interrupted deployment: only if the backend is a folder, and only if the process that took it ran on this
 * machine since its start, in this PID namespace, and has ended. A container with `--network host` has the host name of its host, and other
 * process ids.
 * For any other backend the engine reports the owner.
 * @param isOwnFolder whether no other machine uses the folder, so that a restart of this one has ended the process
 * @throws LockedError when its owner runs, or ran elsewhere; the message names the owner, the time and the command to release it
 */
export async function releaseStaleLock(stack: Stack, isOwnFolder = false): Promise<void> {
  const backend = backendOf(stack);
  const locks = locksOf(backend, stack.name);
  if (backend === undefined || locks.length === 0) return;
  const [owner, own] = [read<LockOwner>(ownerFile(backend, stack.name)), lockOwner()];
  const isRestarted = isOwnFolder && owner !== undefined && owner.boot !== own?.boot;
  const isOwn = own !== undefined && owner?.boot === own.boot && owner.pidNamespace === own.pidNamespace;
  const problem = locks.map((lock) => problemOf(lock, isOwn, stack.name)).find((text) => text !== undefined);
  if (problem !== undefined && !isRestarted) throw new LockedError(problem);
  await stack.cancel();
}

/** @param isComparable whether the process ids of the lock and of this process are those of one machine and PID namespace */
function problemOf(lock: Lock, isComparable: boolean, stack: string): string | undefined {
  const isHere = lock.hostname === hostname();
  if (isHere && isComparable && !isRunning(lock.pid)) return undefined;
  const locked = `stack "${stack}" is locked by process ${lock.pid} of ${lock.username} on ${lock.hostname} since ${lock.timestamp}`;
  const cancel = `run: pulumi cancel --stack ${stack}`;
  if (!isHere || isComparable) return `${locked}. Wait for it. If that process has ended, ${cancel}`;
  return (
    `${locked}. No Gatehouse process in this PID namespace took the lock since this machine started, so whether it runs is unknown: ` +
    `the machine may have restarted, or the process is in a container or on another machine with the same name. Make sure that it has ended, then ${cancel}`
  );
}

/**
 * Records the {@link LockOwner} of the locks that this process takes, in the folder of the backend: for {@link releaseStaleLock} of the next run.
 * The engine's lock does not contain it.
 */
export function recordLockOwner(stack: Stack): void {
  const backend = backendOf(stack);
  // A lock that exists now, or is being written, is that of another process.
  if (backend === undefined || lockFiles(backend, stack.name).length > 0) return;
  const file = ownerFile(backend, stack.name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, JSON.stringify(lockOwner() ?? {}));
}

/** Deletes the record unless the stack is locked: the engine can be killed without this process. */
export function deleteLockOwner(stack: Stack): void {
  const backend = backendOf(stack);
  if (backend !== undefined && locksOf(backend, stack.name).length === 0)
    rmSync(ownerFile(backend, stack.name), { force: true });
}

function backendOf({ workspace: { workDir, envVars } }: Stack): string | undefined {
  return backendFolder(workDir, envVars);
}

/** Returns the file of the owner, next to the folder with the locks of the stack: each file in that folder is a lock. */
function ownerFile(backend: string, stack: string): string {
  return `${locksFolder(backend, stack)}.owner.json`;
}

function locksFolder(backend: string, stack: string): string {
  return join(backend, ".pulumi", "locks", "organization", PROJECT_NAME, stack);
}

/** Returns undefined if it cannot be read. */
function lockOwner(): LockOwner | undefined {
  try {
    if (process.platform === "linux") {
      // proc_sys_kernel(5), random/boot_id
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      return { boot, pidNamespace: readlinkSync("/proc/self/ns/pid") };
    }
    const boot = execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
    return { boot, pidNamespace: process.platform };
  } catch {
    return undefined;
  }
}

function locksOf(backend: string | undefined, stack: string): Lock[] {
  return backend === undefined ? [] : lockFiles(backend, stack).flatMap((file) => read<Lock>(file) ?? []);
}

function lockFiles(backend: string, stack: string): string[] {
  const folder = locksFolder(backend, stack);
  // The backend stores the attributes of each lock in a file next to it.
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names.map((name) => join(folder, name));
}

/** Returns undefined for a file that does not exist, and for a lock that is being written or removed: the engine detects it. */
function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}
