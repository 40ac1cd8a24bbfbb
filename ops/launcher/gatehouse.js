#!/usr/bin/env node
// The command `gatehouse`. In the repository it runs the sources, as the scripts of package.json do; in the package, which contains no
// sources, it runs the compiled program. Plain JavaScript that old versions of Node.js understand.
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "./child.js";
import { isNewEnough, SUPPORTED } from "./nodeVersion.js";

const folder = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(folder, "../commands/gatehouse.ts");
const args = process.argv.slice(2);

if (existsSync(source)) await spawn(process.execPath, [path.join(folder, "launch.js"), source, ...args]);
else if (isNewEnough(process.versions.node)) await runHere();
else {
  const node = installedNode();
  if (node) await spawn(node, [fileURLToPath(import.meta.url), ...args]);
  else {
    process.stderr.write(
      `gatehouse needs ${SUPPORTED}. This is ${process.versions.node}. ` +
        "Install it from https://nodejs.org; on Linux you can also add it to this folder: npm install --save-dev node@24. npm 12 installs it only after: npm install-scripts approve node\n",
    );
    process.exitCode = 2;
  }
}

/** The engine starts the policy pack with the first `node` of PATH. */
async function runHere() {
  process.env.PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  module.enableCompileCache();
  const program = new URL("../../dist/ops/commands/gatehouse.js", import.meta.url).href;
  /** @type {unknown} */
  const compiled = await import(program);
  await /** @type {{ run: () => Promise<void> }} */ (compiled).run();
}

/** Returns the program of the npm package `node`, if it is installed in the folder of the user. */
function installedNode() {
  try {
    const manifest = createRequire(path.join(process.cwd(), "package.json")).resolve("node/package.json");
    const program = path.join(path.dirname(manifest), "bin", "node");
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function spawn(program, args) {
  const { code, signal } = await run(program, args, { cwd: process.cwd(), env: process.env });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}
