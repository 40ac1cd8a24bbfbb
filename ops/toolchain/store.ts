import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { lock, type LockOptions } from "proper-lockfile";
import { UserError } from "../../config/errors/userError.ts";
import { checkVersion } from "./find.ts";
import { cachePath, type Machine, type Tool } from "./tools.ts";

/** Milliseconds without a renewal after which a lock is stale. */
const STALE = 15_000;
const PARTIAL = ".partial";

/**
 * Stores a tool in the cache: `write` writes a temporary file next to the final one, which is then checked and renamed.
 * `sha256` is its expected checksum, if known. Returns the final path. Call it inside {@link withLock}.
 */
export async function store(
  tool: Tool,
  machine: Machine,
  sha256: string | undefined,
  write: (file: string) => Promise<void>,
): Promise<string> {
  const final = cachePath(tool, machine);
  const folder = path.dirname(final);
  await mkdir(folder, { recursive: true });
  await removePartials(folder);
  const partial = `${final}.${process.pid}${PARTIAL}`;
  try {
    await write(partial);
    if (sha256) await checkSum(partial, sha256);
    // Go's module cache is read-only, and so is a copy from it, which only root could flush.
    await chmod(partial, tool.versionArgument ? 0o755 : 0o644);
    if (tool.versionArgument) await checkVersion(tool, partial);
    await flush(partial);
    await rename(partial, final);
    return final;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Checks the SHA-256 of a file. @throws Error when the SHA-256 of a file is not the expected one */
export async function checkSum(file: string, expected: string): Promise<void> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const found = hash.digest("hex");
  if (found !== expected) throw new Error(`its checksum is ${found}, expected ${expected}`);
}

/**
 * Runs `work` while no other run, in this process or another, has the lock.
 * @param cache folder of the cache
 * @param waiting called before it waits for another run
 * @throws UserError when the folder cannot be created or written
 */
export async function withLock<T>(
  cache: string,
  name: string,
  waiting: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const file = path.join(cache, "locks", name);
  const options: LockOptions = { realpath: false, stale: STALE, onCompromised: () => undefined };
  const taking = mkdir(path.dirname(file), { recursive: true }).then(() => lock(file, options));
  const release = await taking.catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== "ELOCKED") {
      const problem = `the cache folder ${cache} cannot be created or written (${code})`;
      throw new UserError(problem, "set GATEHOUSE_CACHE to a folder that only this user can write to");
    }
    waiting();
    return lock(file, { ...options, retries: { forever: true, factor: 1, minTimeout: 500, maxTimeout: 500 } });
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

async function removePartials(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.endsWith(PARTIAL));
  await Promise.all(left.map((name) => rm(path.join(folder, name), { force: true })));
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, "r+");
  await handle.sync();
  await handle.close();
}
