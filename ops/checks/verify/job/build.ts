/** `npm run build:verify`: the job's program as one compressed file, `dist/verify.mjs.br`, and the list of its sources. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import { packageFolder } from "../../../../config/files/folders.ts";

// Vite builds for the NODE_ENV of its caller.
process.env["NODE_ENV"] = "production";
// One file that needs nothing but Node.js.
const built = await build({
  root: import.meta.dirname,
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: "main.ts",
    target: "node24",
    write: false,
    minify: true,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
const [output] = [built].flat();
if (output === undefined || !("output" in output)) throw new Error("vite built nothing");
const [{ code, modules }] = output.output;
const sources = Object.keys(modules)
  .filter((file) => file.startsWith("/") && !file.includes("/node_modules/"))
  .map((file) => relative(packageFolder(), file));
const folder = join(import.meta.dirname, "dist");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "sources.json"), JSON.stringify(sources));
writeFileSync(join(folder, "verify.mjs.br"), brotliCompressSync(code));
