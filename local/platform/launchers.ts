import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../ops/paths.ts";
import type { Plugin } from "./platform.ts";

/** What runs policy packs where the CLI comes without its language plugin for Node.js, which the official download has beside it. */
const POLICY_PACKS = path.join("node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack", "index.js");

/**
 * Writes an executable `pulumi-resource-<name>` for each stand-in plugin, and `pulumi-analyzer-policy-nodejs`.
 * @returns the folder they are in
 */
export function writeLaunchers(data: string, plugins: readonly Plugin[]): string {
  const folder = path.join(data, "plugins");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const { name } of plugins.filter(({ kind }) => kind === "stand-in")) {
    write(path.join(folder, `pulumi-resource-${name}`), path.join("local", "plugins", name, "main.ts"));
  }
  write(path.join(folder, "pulumi-analyzer-policy-nodejs"), POLICY_PACKS);
  return folder;
}

/** @param program path in the project */
function write(file: string, program: string): void {
  const command = [process.execPath, path.join(projectFolder(), program)].map(quote).join(" ");
  writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o700 });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
