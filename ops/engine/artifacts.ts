/** Builds what a stack deploys: the web catalog and the verification job. */
import { execFile } from "node:child_process";
import { promisify, stripVTControlCharacters } from "node:util";
import type { Settings } from "../../config/settings.ts";
import { buildProblem } from "../../infra/data/catalogFiles.ts";
import { bundleProblem } from "../../infra/verification/bundle.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { cacheFolder } from "../launcher/cacheFolder.js";
import { withLock } from "../toolchain/store.ts";
import type { Progress } from "../terminal/progress.ts";

interface Build {
  /** Also the name of the npm script: `build:<name>`. */
  readonly name: string;
  readonly title: string;
  readonly program: string;
  /** Returns why it must be built; undefined if the build is up to date. */
  readonly problem: () => string | undefined;
  readonly usually: string;
}

const CATALOG: Build = {
  name: "catalog",
  title: "Building the web catalog",
  program: "catalog/server/build.ts",
  problem: buildProblem,
  usually: "10 s",
};
const VERIFY: Build = {
  name: "verify",
  title: "Building the verification job",
  program: "ops/checks/verify/job/build.ts",
  problem: bundleProblem,
  usually: "3 s",
};

/** Builds everything that a stack needs. @throws Error with the output of the build that failed */
export async function buildFor(
  settings: Pick<Settings, "dataApi" | "verification">,
  progress: Progress,
): Promise<void> {
  if (settings.dataApi?.catalog) await ensureBuilt(CATALOG, progress);
  if (settings.verification) await ensureBuilt(VERIFY, progress);
}

/** Builds what any stack can need, for the npm package. @throws Error with the output of the build that failed */
export async function buildAll(progress: Progress): Promise<void> {
  for (const build of [CATALOG, VERIFY]) await ensureBuilt(build, progress);
}

/**
 * Builds if the build is missing or older than its sources. A concurrent call waits for the first.
 * @throws Error with the output of the build
 */
export async function ensureBuilt(build: Build, progress: Progress): Promise<void> {
  if (build.problem() === undefined) return;
  const work = async (): Promise<void> => {
    if (build.problem() !== undefined) await progress.step(build.title, () => run(build), build.usually);
  };
  await withLock(cacheFolder(), build.name, () => undefined, work);
}

async function run({ name, program }: Build): Promise<void> {
  // Without the secrets of a deploying shell, which plugins of the bundler have no use for.
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE };
  try {
    await promisify(execFile)(process.execPath, [program], { cwd: packageFolder(), env });
  } catch (error) {
    const output = stripVTControlCharacters((error as { stderr?: string }).stderr ?? "").trim();
    throw new Error(`npm run build:${name} failed:\n${output}`, { cause: error });
  }
}
