import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { packageFolder } from "../config/files/folders.ts";
import type { Measurement } from "./measurement.ts";

/** Compressed script that the first page may load, by brotli or gzip, in bytes . */
const LIMIT = 100_000;

/** Returns the bytes of the scripts and styles of the built catalog: those that every page loads, and those that are loaded when needed. */
export function catalogSizes(): Measurement[] {
  const dist = join(packageFolder(), "catalog/dist");
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const files = readdirSync(join(dist, "assets")).filter((name) => /\.(js|css)$/.test(name));
  const contentOf = (name: string): Buffer => readFileSync(join(dist, "assets", name));
  const first = files.filter((name) => page.includes(`assets/${name}`));
  const scripts = first.filter((name) => name.endsWith(".js"));
  const later = files.filter((name) => !first.includes(name));
  const total = sum(scripts.map((name) => bytesOf(contentOf(name))));
  return [
    ...first.map((name) => ({ file: name, loaded: "first page", ...bytesOf(contentOf(name)) })),
    { file: "scripts of the first page", loaded: `at most ${LIMIT} compressed`, ...total },
    ...later.map((name) => ({ file: name, loaded: "when needed", ...bytesOf(contentOf(name)) })),
  ];
}

interface Bytes {
  readonly raw: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** Returns the sizes of a file as the server sends it. */
function bytesOf(content: Buffer): Bytes {
  return { raw: content.length, gzip: gzipSync(content).length, brotli: brotliCompressSync(content).length };
}

function sum(all: readonly Bytes[]): Bytes {
  const none = { raw: 0, gzip: 0, brotli: 0 };
  return all.reduce((a, b) => ({ raw: a.raw + b.raw, gzip: a.gzip + b.gzip, brotli: a.brotli + b.brotli }), none);
}
