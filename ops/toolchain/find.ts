import { execFile } from "node:child_process";
import { access, constants, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { cachePath, localVariant, type Machine, type Tool } from "./tools.ts";

/** Written beside a cached file once it is whole. */
export interface Origin {
  readonly way: string;
  readonly size: number;
}

/** The first executable file of that name on a search path. */
export async function which(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** The program on PATH. Throws, with the reason as message, when there is none or it is another version. */
export async function findOnPath(tool: Tool, machine: Machine): Promise<string> {
  if (!tool.versionArgument) throw new Error("a plain file is not searched on PATH");
  const file = await which(tool.name, machine.path);
  if (!file) throw new Error(`no ${tool.name} there`);
  await checkVersion(tool, file);
  return file;
}

/** The tool in the cache. Throws when it is not there, or not whole (a crash may leave a file without its content). */
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
  if (size === undefined) throw new Error(`no ${file}`);
  const origin = await readFile(originPath(file), "utf8").catch(() => undefined);
  if (origin === undefined || (JSON.parse(origin) as Origin).size !== size) throw new Error(`${file} is not whole`);
  return file;
}

export function originPath(file: string): string {
  return `${file}.origin.json`;
}

/** Throws unless the program runs and prints the pinned version. */
export async function checkVersion(tool: Tool, file: string): Promise<void> {
  const output = await ask(file, tool.versionArgument ?? "--version");
  const version = new RegExp(`(?<![\\d.])${tool.version.replaceAll(/[.+]/g, "\\$&")}(?!\\S)`);
  if (!version.test(output))
    throw new Error(`${file} is not version ${tool.version}, it says "${output.trim().split("\n", 1)[0]}"`);
}

async function ask(file: string, argument: string): Promise<string> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = () => promisify(execFile)(file, [argument], { env, timeout: 20_000 });
  // ETXTBSY: a process forked by someone else holds the file, which was just written, open for one more moment.
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
