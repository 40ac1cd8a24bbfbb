/** The program of the job: what `npm run build:verify` left, and what starts it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../..");
const JOB = "ops/verify/job";
const BUILT = `${JOB}/dist/verify.mjs.br`;
/** What the program is made of, apart from packages. */
const SOURCES = [
  "ops/verify",
  "ops/http.ts",
  "infra/plan",
  "infra/verification",
  "infra/identity/headers.ts",
  "infra/loopback.ts",
];

/** Content by file name. */
export type Bundle = Readonly<Record<"start.mjs" | "verify.mjs.br", Buffer>>;

/**
 * What keeps the build from being deployed; undefined when it is there and is that of the sources.
 * @param project folder of the project
 */
export function bundleProblem(project = PROJECT): string | undefined {
  const built = join(project, BUILT);
  if (!existsSync(built)) return "the verification job is not built";
  const newest = Math.max(...SOURCES.flatMap((source) => filesBelow(join(project, source))).map(changed));
  return newest > changed(built) ? "the verification job is older than its sources" : undefined;
}

/** @throws Error when the build is missing or older than its sources */
export function readBundle(project = PROJECT): Bundle {
  const problem = bundleProblem(project);
  if (problem !== undefined) throw new Error(`${problem}; run: npm run build:verify`);
  const read = (path: string): Buffer => readFileSync(join(project, path));
  return { "start.mjs": read(`${JOB}/start.js`), "verify.mjs.br": read(BUILT) };
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/dist"))
    .map(({ parentPath, name }) => join(parentPath, name));
}

function changed(file: string): number {
  return statSync(file).mtimeMs;
}
