import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { backendFolder } from "./backend.ts";
import { PROJECT_NAME } from "../../../config/projectFile.ts";

interface Lock {
  readonly pid: number;
  readonly username: string;
  readonly hostname: string;
  readonly timestamp: string;
}

export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * Releases the lock of an interrupted deployment: only if the backend is a folder, and only if the process that took it ran on this
 * machine and has ended. For any other backend the engine reports the owner.
 * @throws LockedError when its owner runs, or ran on another machine; the message names the owner, the time and the command to release it
 */
export async function releaseStaleLock(stack: Stack): Promise<void> {
  const { workDir, envVars } = stack.workspace;
  const locks = locksOf(backendFolder(workDir, envVars), stack.name);
  if (locks.length === 0) return;
  const lock = locks.find((lock) => lock.hostname !== hostname() || isRunning(lock.pid));
  if (lock) {
    const owner = `process ${lock.pid} of ${lock.username} on ${lock.hostname}`;
    throw new LockedError(
      `stack "${stack.name}" is locked by ${owner} since ${lock.timestamp}. Wait for it. ` +
        `If that process has ended, run: pulumi cancel --stack ${stack.name}`,
    );
  }
  await stack.cancel();
}

function locksOf(backend: string | undefined, stack: string): Lock[] {
  if (backend === undefined) return [];
  const folder = join(backend, ".pulumi", "locks", "organization", PROJECT_NAME, stack);
  if (!existsSync(folder)) return [];
  // The backend stores the attributes of each lock in a file next to it.
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.flatMap((name) => read(join(folder, name)) ?? []);
}

/** Returns undefined for a lock that is being written or removed: the engine detects it. */
function read(file: string): Lock | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Lock;
  } catch {
    return undefined;
  }
}

/** Returns whether a process runs. A zombie process does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) : "";
  return !state?.startsWith("Z");
}
