// Prepares and describes builds with Go. Plain JavaScript without packages, because a first start compiles while npm installs them.
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Output of `go mod edit -json`.
 * @typedef {{ Require: { Path: string, Version: string }[], Replace: { Old: { Path: string }, New: { Path: string } }[] }} GoMod
 */

/** The oldest Go that every module of `modules/` builds with, as [major, minor]. */
const OLDEST_GO = [1, 26];
const MODULES = fileURLToPath(new URL("../toolchain/modules", import.meta.url));
/** In `go.mod`, a replaced module whose copy gets the files of `patches/`. */
const COPIES = "./copies/";
/** Folders of a module without packages that a program imports. */
const LEFT_OUT = ["docs", "integration", "testdata"];

/** The folder of the module with every program of the local platform, without cloud providers. */
export const LOCAL_FOLDER = "local";

/**
 * Arguments of `go` for all builds of a module, equal so that packages are compiled once. No debug information is generated,
 * which the linker would leave out (`-s -w`).
 */
export const BUILD = ["build", "-v", "-trimpath", "-gcflags=all=-dwarf=false"];

/** Returns the environment of `go`. */
export function goEnvironment() {
  return {
    ...process.env,
    GOFLAGS: "-buildvcs=false -mod=mod",
    GOTOOLCHAIN: "local",
    GOWORK: "off",
    CGO_ENABLED: "0",
  };
}

/**
 * Checks the version of Go. Throws if it is too old.
 * @param {string} go path of the program
 */
export async function checkGo(go) {
  const version = await output(go, ["env", "GOVERSION"], process.cwd());
  const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_GO;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw new Error(`${go} is ${version.trim()}, older than ${OLDEST_GO.join(".")}`);
}

/**
 * Copies a module of `modules/`, because `-mod=mod` may complete `go.sum` and the checkout may be read-only, and with it the modules that it
 * patches, because `go build -overlay` refuses files of the module cache.
 * @param {string} go path of the program
 * @param {string} name folder in `modules/`
 * @param {string} cache folder of built programs
 * @returns {Promise<{ folder: string, remove: () => void }>} the copy, of this process alone
 */
export async function prepareModule(go, name, cache) {
  const folder = path.join(cache, "build", `${name}-${process.pid}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(MODULES, name), folder, { recursive: true });
  for (const module of await patchedModules(go, folder)) {
    /** @type {unknown} */
    const download = JSON.parse(await output(go, ["mod", "download", "-json", module.version], folder));
    const { Dir } = /** @type {{ Dir: string }} */ (download);
    cpSync(path.join(folder, "patches", module.path), path.join(folder, module.copy), { recursive: true });
    copyModule(Dir, path.join(folder, module.copy));
  }
  return { folder, remove };
}

/**
 * @param {string} go
 * @param {string} folder
 * @returns {Promise<{ path: string, version: string, copy: string }[]>}
 */
async function patchedModules(go, folder) {
  if (!existsSync(path.join(folder, "patches"))) return [];
  /** @type {unknown} */
  const edited = JSON.parse(await output(go, ["mod", "edit", "-json"], folder));
  const { Require, Replace } = /** @type {GoMod} */ (edited);
  return Replace.filter(({ New }) => New.Path.startsWith(COPIES)).map(({ Old, New }) => {
    const version = Require.find((required) => required.Path === Old.Path)?.Version;
    return { path: Old.Path, version: `${Old.Path}@${version}`, copy: New.Path };
  });
}

/**
 * Copies missing files. Copies files only, because folders of the module cache are read-only, and copies of them could not be removed.
 * @param {string} from
 * @param {string} to
 */
function copyModule(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      if (!LEFT_OUT.includes(entry.name)) copyModule(source, target);
    } else if (!entry.name.endsWith("_test.go") && !existsSync(target)) {
      copyFileSync(source, target);
    }
  }
}

/**
 * @param {string} go
 * @param {string[]} args
 * @param {string} cwd
 */
async function output(go, args, cwd) {
  const { stdout } = await promisify(execFile)(go, args, { cwd, env: goEnvironment(), maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
