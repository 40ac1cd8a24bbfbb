/** Layers of container images: a folder that is laid out like the root of a file system, packed by tar. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, existsSync, linkSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";

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
  tree(source: string, target: string): void {
    for (const entry of readdirSync(source, { withFileTypes: true, recursive: true })) {
      const from = path.join(entry.parentPath, entry.name);
      const to = path.join(target, path.relative(source, from));
      if (entry.isFile()) this.file(from, to);
      else if (entry.isSymbolicLink()) execFileSync("cp", ["--no-dereference", from, this.#staged(to)]);
    }
  }

  /** Adds a program together with the shared libraries of the system that it loads, each at its own path. */
  program(source: string, target: string): void {
    this.file(source, target);
    for (const library of librariesOf(realpathSync(source))) this.file(library, usrMerged(library));
  }

  /** Packs the layer into `blobs`, under the name of its digest. The same files give the same digest. */
  async pack(blobs: string): Promise<Layer> {
    const unnamed = path.join(blobs, `${path.basename(this.#root)}.tar`);
    const reproducible = [
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--hard-dereference",
    ];
    execFileSync("tar", ["-C", this.#root, ...reproducible, "-cf", unnamed, "."]);
    rmSync(this.#root, { recursive: true });
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

/** Returns the paths of the system's shared libraries that a program loads; none for a static one. */
function librariesOf(program: string): string[] {
  const { status, stdout } = spawnSync("ldd", [program], { encoding: "utf8" });
  if (status !== 0) return [];
  const missing = /^\s*(\S+) => not found/m.exec(stdout)?.[1];
  if (missing !== undefined) throw new Error(`${program} needs the library ${missing}, which is not installed`);
  const all = [...stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].flatMap(([, library]) => library ?? []);
  return all.filter((library) => /^\/(usr\/)?lib/.test(library));
}

/** The image has `/lib` as a link to `/usr/lib`, as Debian has it. */
function usrMerged(file: string): string {
  return file.replace(/^\/(lib|lib64|bin|sbin)\//, "/usr/$1/");
}
