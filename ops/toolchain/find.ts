import { stat } from "node:fs/promises";
import { lt, major, parse } from "semver";
import { which } from "../launcher/which.js";
import { cachePath, localVariant, type Machine, type Tool } from "./tools.ts";
import { containsVersion, versionOutput } from "../launcher/versionOutput.js";

/** Build metadata in the version of a local variant (`local.version` in tools.json). */
const LOCAL_BUILD = "local";

/** A program on PATH cannot be used, although a range of versions could. */
export class UnsupportedError extends Error {}

/**
 * Returns the program on PATH: the pinned version; for a cluster also one from its minimum version.
 * @throws UnsupportedError when it has a minimum version and cannot be used; Error when there is none or it has another version
 */
export async function findOnPath(tool: Tool, machine: Machine): Promise<string> {
  if (!tool.versionArgument) throw new Error("a plain file is not searched on PATH");
  const file = which(tool.name, machine.path);
  if (!file) throw new Error(`${tool.name} is not on PATH`);
  if (tool.minimumVersion === undefined || machine.local) {
    await checkVersion(tool, file);
    return file;
  }
  const output = await versionOutput(file, tool.versionArgument).catch((error: Error & { stderr?: string }) => {
    const reason = (error.stderr?.trim() || error.message).split("\n").at(-1);
    throw new UnsupportedError(`${file} cannot be run: ${reason}`, { cause: error });
  });
  const problem = versionProblem(output, tool.minimumVersion);
  if (problem !== undefined) throw new UnsupportedError(`${file} ${problem}`);
  return file;
}

/**
 * Returns why a program of this version is not used for a cluster; undefined for one that is. The rule is that of the Automation API: from a minimum
 * version, in the same major version (`parseAndValidatePulumiVersion`). A local variant lacks state backends.
 * @param output what it prints
 */
export function versionProblem(output: string, minimum: string): string | undefined {
  const printed = output.trim().split("\n", 1)[0] ?? "";
  const version = parse(printed);
  if (version === null) return `prints "${printed}" instead of a version`;
  if (version.build.includes(LOCAL_BUILD)) return `is ${version.raw}, which lacks state backends`;
  if (version.major > major(minimum)) return `is ${version.version}, of a newer major version than ${minimum}`;
  return lt(version, minimum) ? `is ${version.version}, older than ${minimum}` : undefined;
}

/** Returns the tool in the cache, for the local platform also its local variant. @throws Error when there is none */
export async function findInCache(tool: Tool, machine: Machine): Promise<string> {
  for (const variant of machine.local ? [tool, localVariant(tool)] : [tool]) {
    const file = cachePath(variant, machine);
    // A crash may leave a file without its content.
    if (((await stat(file).catch(() => undefined))?.size ?? 0) > 0) return file;
  }
  throw new Error(`${cachePath(tool, machine)} does not exist`);
}

/** Checks the version that a program prints. @throws Error unless the program runs and prints the pinned version */
export async function checkVersion(tool: Tool, file: string): Promise<void> {
  const output = await versionOutput(file, tool.versionArgument ?? "--version");
  if (!containsVersion(output, tool.version))
    throw new Error(`${file} is not version ${tool.version}, it prints "${output.trim().split("\n", 1)[0]}"`);
}
