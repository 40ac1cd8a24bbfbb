import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../ops/paths.ts";
import type { Plugin } from "./platform.ts";

/**
 * Writes an executable `pulumi-resource-<name>` for each stand-in plugin.
 * @returns the folder they are in
 */
export function writeLaunchers(data: string, plugins: readonly Plugin[]): string {
  const folder = path.join(data, "plugins");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const { name } of plugins.filter(({ kind }) => kind === "stand-in")) {
    const program = path.join(projectFolder(), "local", "plugins", name, "main.ts");
    writeFileSync(
      path.join(folder, `pulumi-resource-${name}`),
      `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`,
      { mode: 0o700 },
    );
  }
  return folder;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
