import { execFile } from "node:child_process";
import { access, constants, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { cachePath, localVariant, type Machine, type Tool } from "./tools.ts";

/** Written next to a cached file after it is complete. */
export interface Origin {
  /** Address, Go package or Go module of the file. */
  readonly source: string;
  readonly size: number;
}

/** Returns the first executable file with this name on a search path. */
export async function which(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** Returns the program on PATH. @throws Error when there is none or it has another version */
export async function findOnPath(tool: Tool, machine: Machine): Promise<string> {
  if (!tool.versionArgument) throw new Error("a plain file is not searched on PATH");
  const file = await which(tool.name, machine.path);
  if (!file) throw new Error(`${tool.name} is not on PATH`);
  await checkVersion(tool, file);
  return file;
}

/** Returns the tool in the cache. @throws Error when it is missing or incomplete (a crash may leave a file without its content) */
export async function findInCache(tool: Tool, machine: Machine): Promise<string> {
  return findFile(tool, machine).catch((error: unknown) => {
    const variant = localVariant(tool);
    if (!machine.local || variant.version === tool.version) throw error;
    return findFile(variant, machine).catch(() => Promise.reject(error as Error));
  });
}

async function findFile(tool: Tool, machine: Machine): Promise<string> {
  const file = cachePath(tool, machine);
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined) throw new Error(`${file} does not exist`);
  const origin = await readFile(originPath(file), "utf8").catch(() => undefined);
  if (origin === undefined || (JSON.parse(origin) as Origin).size !== size) throw new Error(`${file} is incomplete`);
  return file;
}

export function originPath(file: string): string {
  return `${file}.origin.json`;
}

/** @throws Error unless the program runs and prints the pinned version */
export async function checkVersion(tool: Tool, file: string): Promise<void> {
  const output = await versionOutput(file, tool.versionArgument ?? "--version");
  const version = new RegExp(`(?<![\\d.])${tool.version.replaceAll(/[.+]/g, "\\$&")}(?!\\S)`);
  if (!version.test(output))
    throw new Error(`${file} is not version ${tool.version}, it prints "${output.trim().split("\n", 1)[0]}"`);
}

async function versionOutput(file: string, argument: string): Promise<string> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = () => promisify(execFile)(file, [argument], { env, timeout: 20_000 });
  // ETXTBSY: a concurrently forked process still has the new file open for writing.
  const busy = (error: unknown) => error instanceof Error && "code" in error && error.code === "ETXTBSY";
  const answer = await run().catch((error: unknown) => {
    if (busy(error)) return wait(500).then(run);
    throw error;
  });
  return answer.stdout + answer.stderr;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
