/** `npm run build:catalog`: the page, its files compressed, and last the server, without which a build counts as missing. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "vite";
import { COMPRESSED } from "./site.ts";

const BUILT = join(import.meta.dirname, "../dist");

await build({ root: join(import.meta.dirname, "..") });
for (const name of readdirSync(BUILT, { recursive: true, encoding: "utf8" })) {
  const file = join(BUILT, name);
  if (statSync(file).isFile()) writeFileSync(file + COMPRESSED, smallest(readFileSync(file)));
}
await build({ root: import.meta.dirname });

/** Every byte counts: a ConfigMap has room for one MiB. */
function smallest(content: Buffer): Buffer {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
}
