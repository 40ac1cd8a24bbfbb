/** `npm run build:package`: the content of the npm package, in `dist/`: the compiled commands and components, and the files that they read. */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../config/folders.ts";
import { buildProblem } from "../../infra/data/catalogFiles.ts";
import { bundleProblem } from "../../infra/verification/bundle.ts";

/** What programs read at run time, and the compiler does not write. */
const FILES = [
  "catalog/dist/**/*.br",
  "catalog/dist/server.mjs",
  "config/stack.schema.json",
  "infra/data/sql/*.sql",
  "infra/identity/signInPages/server.mjs",
  "ops/checks/grants/sql/*.sql",
  "ops/checks/verify/job/dist/verify.mjs.br",
  "ops/checks/verify/job/start.js",
  "ops/toolchain/modules/pulumi/**",
  "policy/bin/*",
  "policy/package.json",
  "policy/PulumiPolicy.yaml",
  "sdks/traefik/index.d.ts",
];

const folder = packageFolder();
const dist = join(folder, "dist");
const node = (...args: string[]): unknown => execFileSync(process.execPath, args, { cwd: folder, stdio: "inherit" });

rmSync(dist, { recursive: true, force: true });
if (buildProblem() !== undefined) node("catalog/server/build.ts");
if (bundleProblem() !== undefined) node("ops/checks/verify/job/build.ts");
node("node_modules/typescript/bin/tsc", "-p", "ops/package");
for (const entry of globSync(FILES, { cwd: folder, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name);
  cpSync(file, join(dist, file.slice(folder.length)));
}
// The package has no sources to compare the job with.
writeFileSync(join(dist, "ops/checks/verify/job/dist/sources.json"), "[]");
