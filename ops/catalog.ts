import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { lock } from "proper-lockfile";
import { buildFault } from "../infra/data/catalogFiles.ts";
import { cacheFolder, projectFolder } from "./paths.ts";
import type { Progress } from "./progress.ts";

/** A lock that nobody has renewed for so long, in milliseconds, was left behind. */
const STALE = 10_000;

/**
 * Builds the web catalogue where its build is missing or older than its sources. Who comes second waits for the first.
 * @throws Error with what the build said
 */
export async function buildCatalog(progress: Progress): Promise<void> {
  if (buildFault() === undefined) return;
  const locks = join(cacheFolder(), "locks");
  await mkdir(locks, { recursive: true });
  const retries = { forever: true, factor: 1, minTimeout: 500, maxTimeout: 500 };
  const release = await lock(join(locks, "catalog"), { realpath: false, stale: STALE, retries });
  try {
    if (buildFault() !== undefined) await progress.step("Building the web catalogue", build, "10 s");
  } finally {
    await release();
  }
}

async function build(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, ["catalog/server/build.ts"], { cwd: projectFolder() });
  } catch (error) {
    const said = stripVTControlCharacters((error as { stderr?: string }).stderr ?? "").trim();
    throw new Error(`npm run build:catalog failed:\n${said}`, { cause: error });
  }
}
