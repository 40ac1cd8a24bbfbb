/** `npm run build:verify`: the job's program as one compressed file, `dist/verify.mjs.br`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";

const built = await build({ root: import.meta.dirname });
const [output] = [built].flat();
if (output === undefined || !("output" in output)) throw new Error("vite built nothing");
const { code } = output.output[0];
const folder = join(import.meta.dirname, "dist");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "verify.mjs.br"), brotliCompressSync(code));
