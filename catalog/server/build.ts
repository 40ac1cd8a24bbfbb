/**
 * `npm run build:catalog`: the page, its files compressed, and last the server, without which a build counts as missing. The argument is the
 * folder of the result; by default the one that is deployed.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "vite";
import { COMPRESSED } from "./site.ts";

const BUILT = resolve(process.argv[2] ?? join(import.meta.dirname, "../dist"));

// Vite builds for the NODE_ENV of its caller, and elements of a development build contain the path and line of their source.
process.env["NODE_ENV"] = "production";
await build({ root: join(import.meta.dirname, ".."), build: { outDir: BUILT } });
for (const name of readdirSync(BUILT, { recursive: true, encoding: "utf8" })) {
  const file = join(BUILT, name);
  if (statSync(file).isFile()) writeFileSync(file + COMPRESSED, smallest(readFileSync(file)));
}
await build({ root: import.meta.dirname, build: { outDir: BUILT } });

/** Every byte counts: a ConfigMap has room for one MiB. */
function smallest(content: Buffer): Buffer {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
}
