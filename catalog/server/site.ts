/** The files of the catalog, in memory; no other file is served. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { getMimeType, mimes } from "hono/utils/mime";

export type Encoding = "br" | "gzip" | "identity";

export interface Asset {
  readonly type: string;
  /** The same file in each encoding. */
  readonly bodies: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>>;
  /** Hash of the plain content. */
  readonly hash: string;
}

/** By path, without a leading slash. */
export type Site = ReadonlyMap<string, Asset>;

/** Files that the build compressed, and the only ones that are served. */
export const COMPRESSED = ".br";
/** The page itself. */
export const PAGE = "index.html";
const TYPES = { ...mimes, md: "text/markdown; charset=utf-8" };

/**
 * Reads every compressed file below a folder. The page refers to its scripts and styles by relative URLs and is served at many
 * paths, so these URLs get the base path.
 * @param basePath starts and ends with a slash
 */
export function readSite(folder: string, basePath: string): Site {
  return new Map(
    filesBelow(folder)
      .filter((path) => path.endsWith(COMPRESSED))
      .map((path): [string, Asset] => {
        const name = path.slice(0, -COMPRESSED.length);
        const compressed = readFileSync(join(folder, path));
        const content = brotliDecompressSync(compressed);
        return [name, name === PAGE ? pageAt(basePath, content) : asset(name, content, compressed)];
      }),
  );
}

function pageAt(basePath: string, content: Buffer): Asset {
  const placed = Buffer.from(content.toString().replaceAll(/\b(src|href)="\.\//g, `$1="${basePath}`));
  return asset(PAGE, placed, brotliCompressSync(placed));
}

function asset(name: string, content: Uint8Array, compressed: Uint8Array): Asset {
  return {
    type: getMimeType(name, TYPES) ?? "application/octet-stream",
    bodies: {
      br: new Uint8Array(compressed),
      gzip: new Uint8Array(gzipSync(content)),
      identity: new Uint8Array(content),
    },
    hash: createHash("sha256").update(content).digest("base64url").slice(0, 22),
  };
}

/** The volume of a ConfigMap contains links, and hidden folders with the same files. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith(".")) return [];
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path).map((inside) => `${name}/${inside}`) : [name];
  });
}
