import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { cachedFolder } from "./cachedFolder.ts";

const run = promisify(execFile);

/** The project of docs/dbt.md. */
const DBT_PROJECT = join(import.meta.dirname, "../../examples/dbt");

export interface DbtRun {
  readonly code: number;
  readonly output: string;
}

/** Runs dbt in a project with the environment of its profile. */
export type Dbt = (project: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<DbtRun>;

/**
 * Installs the packages of the example's requirements.txt from PyPI into the cache, once for each version of the file and of Python.
 * @throws Error without a usable python3
 */
export async function installDbt(): Promise<Dbt> {
  const requirements = join(DBT_PROJECT, "requirements.txt");
  const id = createHash("sha256")
    .update(await readFile(requirements))
    .update(await pythonVersion())
    .digest("hex");
  const folder = await cachedFolder(`dbt-${id.slice(0, 12)}`, (partial) => install(requirements, partial));
  return async (cwd, args, env) => {
    const quiet = { DBT_SEND_ANONYMOUS_USAGE_STATS: "false", DBT_VERSION_CHECK: "false", DBT_USE_COLORS: "false" };
    const options = { cwd, env: { PATH: process.env["PATH"], HOME: cwd, ...quiet, ...env }, maxBuffer: 2 ** 26 };
    return run(join(folder, "bin/python"), ["-W", "ignore", "-m", "dbt.cli.main", ...args], options).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error: { code?: number; stdout: string; stderr: string; message: string }) => {
        if (typeof error.code !== "number") throw new Error(error.message);
        return { code: error.code, output: error.stdout + error.stderr };
      },
    );
  };
}

async function pythonVersion(): Promise<string> {
  const check = "import ensurepip, sys, venv; assert (3, 11) <= sys.version_info < (3, 14); print(sys.version)";
  return run("python3", ["-c", check]).then(
    ({ stdout }) => stdout,
    () => {
      throw new Error(
        "The test of examples/dbt requires python3 3.11 to 3.13 with venv. On Debian: apt-get install python3-venv",
      );
    },
  );
}

/** Copies the project without what a run of it writes. */
export function copyDbtProject(folder: string): void {
  const isGenerated = (path: string): boolean => /^(venv|target|logs)$/.test(relative(DBT_PROJECT, path));
  cpSync(DBT_PROJECT, folder, { recursive: true, filter: (path) => !isGenerated(path) });
}

/** Runs `dbt build`, and expects that it builds everything. */
export async function dbtBuild(dbt: Dbt, project: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, output } = await dbt(project, ["build"], env);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("ERROR=0 SKIP=0") as string });
}

/** A virtual environment works after it has been renamed, as long as its programs are started with `python -m`. */
async function install(requirements: string, folder: string): Promise<void> {
  await run("python3", ["-m", "venv", folder]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements];
  await run(join(folder, "bin/python"), pip, { maxBuffer: 2 ** 26 });
}
