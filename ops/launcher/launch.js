// Runs a program of this project on a machine that has only Node.js and npm: installs missing packages first, and
// uses a Node.js version that the project supports. Plain JavaScript without packages, because it runs before they are installed.
//
//   node ops/launcher/launch.js FILE.ts [ARGUMENT...]
//   node ops/launcher/launch.js --run SCRIPT [-- ARGUMENT...]     a script of package.json, as `node --run` runs it
import { realpathSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { LaunchError, run } from "./child.js";
import { announceBuild, startCompiling } from "./firstStart.js";
import { install, isInstalled } from "./install.js";
import { LOCAL_PROGRAMS, platformProblem } from "./localPlatform.js";
import { isNewEnough } from "./nodeVersion.js";

/** The program whose first start builds programs, and that runs until it is stopped. */
const START = "local/start.ts";

/** @param {string[]} args */
async function main([first, ...rest]) {
  const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
  if (!first)
    throw new LaunchError("Usage: node ops/launcher/launch.js FILE.ts [ARGUMENT...] | --run SCRIPT [-- ARGUMENT...]");
  refuse(first, `${process.platform}-${process.arch}`);
  await prepare(project, first);
  const own = path.join(project, "node_modules", "node", "bin", "node");
  const node = isNewEnough(process.versions.node) ? process.execPath : own;
  const bins = [path.dirname(node), path.join(project, "node_modules", ".bin")];
  const env = {
    // Node.js stores compiled modules there (nodejs.org/api/module.html#module-compile-cache), which halves the start time of a process.
    NODE_COMPILE_CACHE: path.join(project, ".gatehouse", "compile-cache"),
    ...process.env,
    PATH: [...bins, process.env.PATH].join(path.delimiter),
  };
  const program = first === "--run" ? first : path.resolve(first);
  return exitCode(await run(node, [program, ...rest], { cwd: process.cwd(), env, endsWithParent: first === START }));
}

/**
 * @param {string} program the one to run
 * @param {string} platform operating system and processor as Node.js names them
 * @throws LaunchError for a program of the local platform on a machine that it does not run on
 */
export function refuse(program, platform) {
  const problem = LOCAL_PROGRAMS.includes(program) ? platformProblem(platform) : undefined;
  if (problem) throw new LaunchError(problem);
}

/**
 * Installs the packages. Compiles programs at the same time if a first start has to build them.
 * @param {string} project
 * @param {string} program the one to run
 */
async function prepare(project, program) {
  const print = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  const build = program === START ? await announceBuild(project, print) : undefined;
  const compilation = build && !isInstalled(project) ? startCompiling(build) : undefined;
  try {
    await install(project);
  } finally {
    await compilation?.stop();
  }
}

/** @param {{ code: number | null, signal: NodeJS.Signals | null }} end of a child; a signal that ended it ends this process too */
function exitCode({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  return code ?? 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // The commands exit with 2, too, if the user has to fix something first.
    process.exitCode = 2;
  }
}
