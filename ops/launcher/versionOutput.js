// What a program prints about its version. Plain JavaScript without packages, because a first start reads it before they are installed.
import { execFile } from "node:child_process";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Returns what a program prints about its version. Throws if it cannot be run, or fails.
 * @param {string} file
 * @param {string} argument
 */
export async function versionOutput(file, argument) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = () => promisify(execFile)(file, [argument], { env, timeout: 20_000 });
  const output = await run().catch((/** @type {NodeJS.ErrnoException} */ error) => {
    // A concurrently forked process still has the new file open for writing.
    if (error.code === "ETXTBSY") return wait(500).then(run);
    throw error;
  });
  return output.stdout + output.stderr;
}

/**
 * Returns whether an output contains exactly this version: neither a longer number nor a variant of it.
 * @param {string} output
 * @param {string} version
 */
export function containsVersion(output, version) {
  return new RegExp(`(?<![\\d.])${version.replaceAll(/[.+]/g, "\\$&")}(?!\\S)`).test(output);
}
