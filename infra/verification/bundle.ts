/** The program of the job: what `npm run build:verify` left, and what starts it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../config/files/folders.ts";

const JOB = "ops/checks/verify/job";
const BUILT = `${JOB}/dist/verify.mjs.br`;
/** JSON array of the files that the program was built from; the build writes it. */
const SOURCES = `${JOB}/dist/sources.json`;
const IF_EXISTS = { throwIfNoEntry: false } as const;

/** Content by file name. */
export type Bundle = Readonly<Record<"start.mjs" | "verify.mjs.br", Buffer>>;

/**
 * Returns why the build cannot be deployed; undefined if it exists and is not older than its sources.
 * @param folder that the build and its sources are in
 */
export function bundleProblem(folder = packageFolder()): string | undefined {
  const built = join(folder, BUILT);
  if (!existsSync(built)) return "the verification job is not built";
  const sources = JSON.parse(readFileSync(join(folder, SOURCES), "utf8")) as string[];
  const since = statSync(built).mtimeMs;
  const isOlder = sources.some((source) => (statSync(join(folder, source), IF_EXISTS)?.mtimeMs ?? Infinity) > since);
  return isOlder ? "the verification job is older than its sources" : undefined;
}

/** Reads the files of the verification job. @throws Error when the build is missing or older than its sources */
export function readBundle(folder = packageFolder()): Bundle {
  const problem = bundleProblem(folder);
  if (problem !== undefined) throw new Error(`${problem}; run: npm run build:verify`);
  const read = (path: string): Buffer => readFileSync(join(folder, path));
  return { "start.mjs": read(`${JOB}/start.js`), "verify.mjs.br": read(BUILT) };
}
