import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { which } from "./find.ts";
import { store } from "./store.ts";
import type { GoFile, GoProgram, Machine, Tool } from "./tools.ts";

/** The oldest Go that every module of `modules/` builds with, as [major, minor]. */
const GO = [1, 26] as const;

type Report = (detail: string) => void;

let queue: Promise<unknown> = Promise.resolve();

/** Builds a program, or takes a file, from its Go module into the cache. One at a time, since each build takes every core. */
export function build(tool: Tool, machine: Machine, report: Report): Promise<string> {
  const mine = queue.then(async () => {
    const go = await findGo(machine);
    const { build } = tool;
    if ("module" in build) {
      return store(tool, machine, build.module, tool.sha256, (target) => takeFile(go, build, machine, target, report));
    }
    return store(tool, machine, build.package, undefined, (target) =>
      compile(go, tool, build, machine, target, report),
    );
  });
  queue = mine.catch(() => undefined);
  report("waiting for its turn to be built");
  return mine;
}

async function findGo(machine: Machine): Promise<string> {
  const go = await which("go", machine.path);
  if (!go) throw new Error("no go on PATH");
  const said = await run(go, ["env", "GOVERSION"], machine.cache, () => undefined);
  const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(said) ?? []).slice(1).map(Number);
  if (major < GO[0] || (major === GO[0] && minor < GO[1]))
    throw new Error(`${go} is ${said.trim()}, older than ${GO.join(".")}`);
  return go;
}

async function compile(go: string, tool: Tool, program: GoProgram, machine: Machine, target: string, report: Report) {
  // A copy, because -mod=mod may complete go.sum and the checkout may be read-only.
  const folder = path.join(machine.cache, "build", tool.name);
  await rm(folder, { recursive: true, force: true });
  await cp(path.join(import.meta.dirname, "modules", program.folder), folder, { recursive: true });
  let packages = 0;
  const args = ["build", "-v", "-trimpath", "-ldflags", program.ldflags, "-o", target, program.package];
  await run(go, args, folder, (line) =>
    report(
      line.startsWith("go: ")
        ? line.slice(4)
        : `building (usually ${program.usually}), ${++packages} packages compiled`,
    ),
  );
}

async function takeFile(go: string, { module, file }: GoFile, machine: Machine, target: string, report: Report) {
  report(`downloading ${module}`);
  // A module that wants a newer Go than this one is downloaded all the same, only its `Dir` is not told.
  const failed = await run(go, ["mod", "download", module], machine.cache, () => undefined).catch(
    (error: Error) => error,
  );
  const modules = (await run(go, ["env", "GOMODCACHE"], machine.cache, () => undefined)).trim();
  await copyFile(path.join(modules, module, file), target).catch((error: Error) => {
    throw failed instanceof Error ? failed : error;
  });
}

/** Runs Go and returns its standard output. Throws with the last lines of what it told. */
async function run(go: string, args: string[], cwd: string, line: (text: string) => void): Promise<string> {
  await mkdir(cwd, { recursive: true });
  const env = {
    ...process.env,
    GOFLAGS: "-buildvcs=false -mod=mod",
    GOTOOLCHAIN: "local",
    GOWORK: "off",
    CGO_ENABLED: "0",
  };
  const child = spawn(go, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill();
  process.once("exit", stop);
  let out = "";
  const said: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  createInterface({ input: child.stderr }).on("line", (text) => {
    said.push(text);
    line(text);
  });
  const [code] = (await once(child, "close")) as [number | null];
  process.off("exit", stop);
  if (code !== 0) throw new Error(`go ${args[0]} failed: ${said.slice(-3).join(" ").trim()}`);
  return out;
}
