import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { LaunchError, run } from "./child.js";
import { isRunning } from "./isRunning.js";
import { isNewEnough, SUPPORTED } from "./nodeVersion.js";

/** Milliseconds after which a lock is stale, even if its process number is in use again. */
const LIMIT = 20 * 60_000;
/** A newer Node.js for a machine whose own is not supported. The package exists for Linux only in this version. */
const NODE = "node_modules/node/bin/node";
/**
 * Variables that npm needs: the user and its folders, proxies, certificates, and settings and tokens of the package registry. Install scripts of packages get
 * no other one, e.g. no secret of a deployment.
 */
const NPM_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|LANG|LC_.+|XDG_.+|CI|(HTTP|HTTPS|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_.+|NPM_CONFIG_.+|NPM_TOKEN)$/i;
/** A file that an install script creates, and an install without scripts lacks. */
const SDK = "sdks/authentik/bin/index.js";

/**
 * Installs the packages of the project with `npm ci`, unless those of the lock file are installed. Concurrent runs install once.
 * @param {string} project
 */
export async function install(project) {
  if (isInstalled(project)) return;
  const waiting = (/** @type {number} */ owner) =>
    print(`Another run (process ${owner}) is installing the packages; waiting for it.`);
  await exclusively(path.join(project, ".gatehouse", "install.lock"), waiting, async () => {
    if (isInstalled(project)) return;
    print("Installing the packages with npm ci, usually about 1 min ...");
    const since = Date.now();
    await npmCi(project);
    writeFileSync(stampOf(project), fingerprint(project));
    print(`Installed the packages (${Math.round((Date.now() - since) / 1000)} s).`);
  }).catch((error) => {
    const problem = installProblem(project, codeOf(error));
    throw problem === undefined ? error : new LaunchError(problem);
  });
}

/**
 * Returns why files of the project cannot be written, and what to do; undefined for another error.
 * @param {string} project
 * @param {unknown} code of the system error
 */
export function installProblem(project, code) {
  if (code === "ENOSPC")
    return `The packages cannot be installed, because the disk of ${project} is full (${code}). Free disk space, then run the same command again.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return (
      `The packages cannot be installed, because ${project} cannot be written (${code}). ` +
      "Run the command as the user who owns it, or clone the repository into a folder that you can write to."
    );
  return undefined;
}

/**
 * Returns whether the packages of the lock file are completely installed.
 * @param {string} project
 * @param {string} version of this Node.js
 */
export function isInstalled(project, version = process.versions.node) {
  if (lacking(project, version) || !existsSync(stampOf(project))) return false;
  return readFileSync(stampOf(project), "utf8") === fingerprint(project);
}

/**
 * Returns a hash of the platform, the lock file and the sources of the SDK that is compiled on install, which the installed packages must match.
 * @param {string} project
 */
export function fingerprint(project) {
  const sdk = path.join(project, "sdks", "authentik");
  const sources = readdirSync(sdk, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(bin|node_modules)(\/|$)/.test(name))
    .map((name) => path.join(sdk, name))
    .filter((file) => statSync(file).isFile())
    .sort();
  // A folder can be mounted into a container of another platform, whose packages have other programs.
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}\0`);
  for (const file of [path.join(project, "package-lock.json"), ...sources]) {
    hash.update(path.relative(project, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

/**
 * Runs `work` while no other process does. The lock is a symbolic link to its owner's process number, so it is never without an owner.
 * @param {string} lock
 * @param {(owner: number) => void} waiting called once if another process has the lock
 * @param {() => Promise<void>} work
 */
export async function exclusively(lock, waiting, work) {
  mkdirSync(path.dirname(lock), { recursive: true });
  for (let isReported = false; !(await take(lock)); isReported = true) {
    const owner = ownerOf(lock);
    if (owner && !isReported) waiting(owner);
    await wait(300);
  }
  const release = () => {
    // Another process may have taken it over after LIMIT.
    if (ownerOf(lock) === process.pid) rmSync(lock, { force: true });
  };
  process.once("exit", release);
  try {
    await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * Creates the lock, or takes it over from an owner that has ended.
 * @param {string} lock
 */
async function take(lock) {
  const me = String(process.pid);
  try {
    symlinkSync(me, lock);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const owner = ownerOf(lock);
  const age = Date.now() - (lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  // Our own number is that of an earlier process.
  if (owner === undefined || (owner !== process.pid && isRunning(owner) && age < LIMIT)) return false;
  symlinkSync(me, `${lock}.${me}`);
  renameSync(`${lock}.${me}`, lock);
  // Several processes may take over concurrently; the last one owns the lock.
  await wait(300);
  return ownerOf(lock) === process.pid;
}

/** @param {string} lock */
function ownerOf(lock) {
  try {
    return Number(readlinkSync(lock));
  } catch {
    return undefined;
  }
}

/** @param {string} project */
async function npmCi(project) {
  const npm = process.env.npm_execpath;
  // Yarn and pnpm set it, too.
  const command = npm && path.basename(npm) === "npm-cli.js" ? [process.execPath, npm] : ["npm"];
  /** @type {string[]} */
  const output = [];
  const [program = "npm", ...args] = [...command, "ci", "--loglevel=warn"];
  const { code, signal } = await run(program, args, {
    cwd: project,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => NPM_VARIABLES.test(name))),
    onOutput: (text) => output.push(text),
  }).catch((error) => {
    throw new LaunchError(`npm cannot be started: ${String(error)}\nnpm is part of Node.js. Put it on PATH.`);
  });
  if (signal) process.exit(128 + constants.signals[signal]);
  if (code !== 0) {
    throw new LaunchError(
      `The packages could not be installed: npm ci exited with code ${code}. Output:\n\n${summaryOf(output.join(""))}\n\n` +
        "If the package registry cannot be reached, check the network and `npm config get registry`, then run the same command again.",
    );
  }
  const { node } = process.versions;
  const problem = incompleteness(lacking(project, node), node, `${process.platform}-${process.arch}`);
  if (problem) throw new LaunchError(problem);
}

/**
 * Returns the last lines of npm's output, without its warnings and its usage text.
 * @param {string} output
 */
export function summaryOf(output) {
  const lines = output.trimEnd().split("\n");
  const errors = lines.filter((line) => /^npm (error|ERR!)/.test(line));
  const usage = errors.findIndex((line) => line.endsWith(" Usage:"));
  return (errors.length > 0 ? errors.slice(0, usage < 0 ? undefined : usage) : lines).slice(-30).join("\n");
}

/**
 * Returns the file that an install lacks.
 * @param {string} project
 * @param {string} version of this Node.js
 */
function lacking(project, version) {
  const needed = isNewEnough(version) ? [SDK] : [SDK, NODE];
  return needed.find((file) => !existsSync(path.join(project, file)));
}

/**
 * Returns why an install is incomplete, and what to do.
 * @param {string | undefined} lacks the file that it lacks
 * @param {string} version of this Node.js
 * @param {string} platform
 */
export function incompleteness(lacks, version, platform) {
  if (lacks === undefined) return undefined;
  if (lacks === NODE)
    return (
      `Gatehouse requires ${SUPPORTED}, and this is ${version}. npm could not install a newer one for ${platform}. ` +
      "Install it (https://nodejs.org), then run the same command again."
    );
  return (
    `npm ci did not create ${lacks}, which an install script creates. Install scripts seem to be disabled: ` +
    "run `npm config set ignore-scripts false`, then the same command again."
  );
}

/** @param {string} project */
function stampOf(project) {
  return path.join(project, "node_modules", ".gatehouse-lock");
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** @param {string} line */
function print(line) {
  process.stderr.write(`${line}\n`);
}
