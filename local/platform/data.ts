import { createHash } from "node:crypto";
import { chmodSync, realpathSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import path from "node:path";
import { claimDataFolder, isDataFolder, notWritten } from "../../ops/toolchain/dataFolder.ts";
import { listen } from "./listener.ts";
import { readJson, writePrivate } from "./privateFile.ts";
import { startTime } from "./procfs.ts";

/** Content of `<data>/running.json`, which describes a running platform. */
interface Running {
  readonly pid: number;
  /** Of the process `pid`, see startTime. */
  readonly startTime: string;
  /** Empty until every route is verified. */
  readonly urls: readonly string[];
}

/** A platform already runs on the data folder. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
  readonly running: Running | undefined;

  constructor(data: string, running: Running | undefined) {
    super(`a platform already runs on ${data}${running ? ` (process ${running.pid})` : ""}; npm run stop ends it`);
    this.running = running;
  }
}

/** A data folder that this process has locked. */
interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** Lets others start a platform on it. */
  release(): void;
}

/**
 * Creates the folder if missing, and locks it for this process.
 * @throws AlreadyRunning when another process has locked it; UserError when another user can write to it, or this one cannot; Error when it contains files of another program
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  claimDataFolder(folder);
  const data = realpathSync(folder);
  if (!isDataFolder(data)) {
    throw new Error(`${data} contains files that are not Gatehouse's. Set GATEHOUSE_DATA to an empty or a new folder.`);
  }
  const lock = await acquireLock(data);
  try {
    // Postgres runs under another user when root starts it, and must pass through.
    chmodSync(data, process.getuid?.() === 0 ? 0o711 : 0o700);
    writeRunning(data, []);
  } catch (error) {
    lock.close();
    throw notWritten(data, error);
  }
  return {
    path: data,
    release: () => {
      rmSync(path.join(data, "running.json"), { force: true });
      lock.close();
    },
  };
}

/** Records the URLs of this process's platform for other processes. */
export function writeRunning(data: string, urls: readonly string[]): void {
  const running: Running = { pid: process.pid, startTime: startTime(process.pid) ?? "", urls };
  writePrivate(path.join(data, "running.json"), running);
}

/** The process that runs a platform on the folder; undefined when there is none. */
export function readRunning(data: string): Running | undefined {
  const running = readJson<Running>(path.join(data, "running.json"));
  return running && startTime(running.pid) === running.startTime ? running : undefined;
}

/**
 * Locks the folder with an abstract Unix socket (unix(7)): the kernel gives it to one process, and releases it when that process ends, so that
 * the lock is never stale.
 */
async function acquireLock(data: string): Promise<Server> {
  const lock = await listen({ path: `\0gatehouse-${createHash("sha256").update(data).digest("hex")}` });
  if (lock === "EADDRINUSE") throw new AlreadyRunning(data, readRunning(data));
  if (typeof lock === "string") throw new Error(`${data} cannot be locked (${lock})`);
  return lock;
}
