/** `npm run build:package`: the content of the npm package, in `dist/`: the compiled commands and components, and the files that they read. */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../config/files/folders.ts";
import { buildAll } from "../engine/artifacts.ts";
import { createProgress } from "../terminal/progress.ts";

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
  "sdks/authentik/bin/**/*.js",
  "sdks/authentik/bin/package.json",
  "sdks/traefik/index.d.ts",
];

const folder = packageFolder();
const dist = join(folder, "dist");

rmSync(dist, { recursive: true, force: true });
await buildAll(createProgress());
execFileSync(process.execPath, ["node_modules/@typescript/native/bin/tsc", "-p", "ops/package"], {
  cwd: folder,
  stdio: "inherit",
});
for (const entry of globSync(FILES, { cwd: folder, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name);
  cpSync(file, join(dist, file.slice(folder.length)));
}
// Programs in it read their version there, and Node.js what #authentik is.
const { version, type, imports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
  string,
  unknown
>;
writeFileSync(join(dist, "package.json"), JSON.stringify({ version, type, imports }));
// The package has no sources to compare the job with.
writeFileSync(join(dist, "ops/checks/verify/job/dist/sources.json"), "[]");
