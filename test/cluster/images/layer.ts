/** Layers of container images: a folder that is laid out like the root of a file system, packed by tar. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

/** Maximum output of ldd and find in bytes, sufficient for a large program. */
const MAX_OUTPUT = 2 ** 26;

/** A packed layer: the name of its blob, and its size in bytes. */
export interface Layer {
  readonly digest: string;
  readonly size: number;
}

/** Files of one layer, staged below a folder; the paths of its methods are those in the image. */
export class LayerFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true, mode: 0o755 });
  }

  /** Links a file (or copies it to another file system), with its mode. */
  file(source: string, target: string): void {
    const real = realpathSync(source);
    const staged = this.#staged(target);
    if (existsSync(staged)) return;
    try {
      linkSync(real, staged);
    } catch {
      copyFileSync(real, staged);
    }
  }

  text(target: string, content: string, mode = 0o644): void {
    writeFileSync(this.#staged(target), content, { mode });
  }

  link(target: string, to: string): void {
    symlinkSync(to, this.#staged(target));
  }

  linkIfMissing(target: string, to: string): void {
    if (!existsSync(path.join(this.#root, target))) this.link(target, to);
  }

  folder(target: string, mode = 0o755): void {
    mkdirSync(this.#staged(target), { recursive: true });
    execFileSync("chmod", [mode.toString(8), this.#staged(target)]);
  }

  /** Adds a folder with everything below it. Links inside stay links. */
  async tree(source: string, target: string): Promise<void> {
    const staged = this.#staged(target);
    const copy = (...options: string[]): Promise<unknown> =>
      run("cp", ["--archive", ...options, "--no-target-directory", source, staged]);
    await copy("--link").catch(() => copy());
  }

  /** Adds a program together with the shared libraries of the system that it loads, each at its own path. */
  program(source: string, target: string): void {
    this.file(source, target);
    const { stdout: loaded } = spawnSync("ldd", [realpathSync(source)], { encoding: "utf8" });
    const missing = /^\s*(\S+) => not found/m.exec(loaded)?.[1];
    if (missing !== undefined) throw new Error(`${source} needs the library ${missing}, which is not installed`);
    this.#systemLibraries(loaded);
  }

  /**
   * Adds the shared libraries of the system that the programs and libraries below a folder load. Skips missing ones: a library in
   * a Python package names others of its folder that the package loads first.
   */
  async librariesBelow(folder: string): Promise<void> {
    const programs = await filesBelow(folder, "-type", "f", "(", "-perm", "/111", "-o", "-name", "*.so*", ")");
    // ldd fails if one of them is a script.
    const printed = await run("ldd", programs).catch(({ stdout }: { stdout: string }) => ({ stdout }));
    this.#systemLibraries(printed.stdout);
  }

  #systemLibraries(loaded: string): void {
    const all = [...loaded.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].flatMap(([, library]) => library ?? []);
    for (const library of new Set(all)) {
      if (/^\/(usr\/)?lib/.test(library)) this.file(library, usrMerged(library));
    }
  }

  /**
   * Packs the layer into `blobs`, under the name of its digest. Files keep their times: Python uses compiled files only with the time of their
   * sources.
   */
  async pack(blobs: string): Promise<Layer> {
    const unnamed = path.join(blobs, `${path.basename(this.#root)}.tar`);
    const options = ["--owner=0", "--group=0", "--numeric-owner", "--hard-dereference"];
    await run("tar", ["-C", this.#root, ...options, "-cf", unnamed, "."]);
    await rm(this.#root, { recursive: true });
    const hash = createHash("sha256");
    await pipeline(createReadStream(unnamed), hash);
    const digest = hash.digest("hex");
    const { size } = statSync(unnamed);
    renameSync(unnamed, path.join(blobs, digest));
    return { digest, size };
  }

  #staged(target: string): string {
    const staged = path.join(this.#root, target);
    mkdirSync(path.dirname(staged), { recursive: true });
    return staged;
  }
}

/**
 * Returns the paths below a folder that pass the tests of find. `readdirSync` follows links to folders when it is recursive.
 * @param tests e.g. `-type`, `l`
 */
export async function filesBelow(folder: string, ...tests: string[]): Promise<string[]> {
  const { stdout } = await run("find", [folder, ...tests, "-print0"]);
  return stdout.split("\0").slice(0, -1);
}

/** Runs a program asynchronously, because a large tree takes long and this process has to renew its lock. */
function run(program: string, args: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(program, args, { maxBuffer: MAX_OUTPUT });
}

/** Returns the path below `/usr`: in the image `/lib` is a link to `/usr/lib`, as in Debian. */
function usrMerged(file: string): string {
  return file.replace(/^\/(lib|lib64|bin|sbin)\//, "/usr/$1/");
}
