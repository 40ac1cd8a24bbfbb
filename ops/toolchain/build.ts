import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import pLimit from "p-limit";
import { which } from "../launcher/which.js";
import type { Report } from "../terminal/progress.ts";
import { BUILD, checkGo, goEnvironment, prepareModule } from "../launcher/goModule.js";
import { store } from "./store.ts";
import type { GoFile, GoProgram, Machine, Tool } from "./tools.ts";

interface Job {
  readonly tool: Tool;
  readonly program: GoProgram;
  readonly machine: Machine;
  readonly report: Report;
  readonly resolve: (file: string) => void;
  readonly reject: (error: unknown) => void;
}

/** One build at a time. */
const queue = pLimit(1);
/** Programs whose build has not started. */
let waiting: Job[] = [];

/**
 * Builds a program, or copies a file, from its Go module into the cache. Runs one build at a time, since each uses every core; programs of one
 * module that wait are built together, so that no core is idle while a program is linked.
 */
export function build(tool: Tool, machine: Machine, report: Report): Promise<string> {
  report("waiting for another build");
  const { build } = tool;
  if ("module" in build) {
    return queue(async () => {
      const go = await findGo(machine);
      return store(tool, machine, tool.sha256, (target) => takeFile(go, build, machine, target, report));
    });
  }
  return new Promise((resolve, reject) => {
    waiting.push({ tool, program: build, machine, report, resolve, reject });
    void queue(buildWaiting);
  });
}

/** Builds the program that waits longest, with all others of its module. */
async function buildWaiting(): Promise<void> {
  const [first] = waiting;
  if (!first) return;
  const isTogether = ({ program, machine }: Job): boolean =>
    program.folder === first.program.folder && machine.cache === first.machine.cache;
  const jobs = waiting.filter(isTogether);
  waiting = waiting.filter((job) => !isTogether(job));
  try {
    await compile(jobs, first.machine, first.program.folder);
  } catch (error) {
    for (const { reject } of jobs) reject(error);
  }
}

async function findGo(machine: Machine): Promise<string> {
  const go = which("go", machine.path);
  if (!go) throw new Error("Go is not on PATH");
  await checkGo(go);
  return go;
}

async function compile(jobs: readonly Job[], machine: Machine, name: string): Promise<void> {
  const go = await findGo(machine);
  const { folder, remove } = await prepareModule(go, name, machine.cache);
  process.once("exit", remove);
  try {
    const out = path.join(folder, "built");
    await mkdir(out);
    const ldflags = [...new Set(jobs.map(({ program }) => program.ldflags))].join(" ");
    const args = [...BUILD, "-ldflags", ldflags, "-o", `${out}/`, ...jobs.map(({ program }) => program.package)];
    await run(go, args, folder, reporter(jobs));
    for (const { tool, program, resolve } of jobs) {
      const built = path.join(out, executableName(program.package));
      resolve(await store(tool, machine, undefined, (target) => copyFile(built, target)));
    }
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Returns a function that reports the lines of `go build -v`. The first of several programs reports for all. */
function reporter([first, ...others]: readonly Job[]): (line: string) => void {
  for (const { report } of others) report(`building together with ${first?.tool.name}`);
  const title =
    others.length > 0
      ? `building ${others.length + 1} programs together`
      : `building (usually ${first?.program.usually})`;
  let packages = 0;
  return (line) => first?.report(line.startsWith("go: ") ? line.slice(4) : `${title}, ${++packages} packages compiled`);
}

/** Returns the name of an executable of `go build`: the last element of its path that is not a version. */
function executableName(program: string): string {
  return path.posix.basename(program.replace(/\/v\d+$/, ""));
}

async function takeFile(go: string, { module, file }: GoFile, machine: Machine, target: string, report: Report) {
  report(`downloading ${module}`);
  // A module that requires a newer Go is downloaded too, but the output lacks its `Dir`.
  const failed = await run(go, ["mod", "download", module], machine.cache, () => undefined).catch(
    (error: Error) => error,
  );
  const modules = (await run(go, ["env", "GOMODCACHE"], machine.cache, () => undefined)).trim();
  await copyFile(path.join(modules, module, file), target).catch((error: Error) => {
    throw failed instanceof Error ? failed : error;
  });
}

/** Runs Go and returns its standard output. @throws Error with the last lines of its output */
async function run(go: string, args: string[], cwd: string, line: (text: string) => void): Promise<string> {
  await mkdir(cwd, { recursive: true });
  const child = spawn(go, args, { cwd, env: goEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill();
  process.once("exit", stop);
  let out = "";
  const output: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  createInterface({ input: child.stderr }).on("line", (text) => {
    output.push(text);
    line(text);
  });
  const [code] = (await once(child, "close")) as [number | null];
  process.off("exit", stop);
  if (code !== 0) throw new Error(`go ${args[0]} failed: ${output.slice(-3).join(" ").trim()}`);
  return out;
}
