import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageFolder } from "../../config/files/folders.ts";
import { argument } from "../../ops/text.ts";
import type { Plugin } from "../../ops/toolchain/plugins.ts";

/**
 * Writes an executable `pulumi-resource-<name>` for each plugin that is emulated.
 * @returns the folder they are in
 */
export function writeLaunchers(data: string, plugins: readonly Plugin[]): string {
  const folder = path.join(data, "plugins");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const { name } of plugins.filter(({ kind }) => kind === "emulator")) {
    write(path.join(folder, `pulumi-resource-${name}`), path.join("emulators", "plugins", name, "main.ts"));
  }
  return folder;
}

/** @param program path in the project */
function write(file: string, program: string): void {
  const command = [process.execPath, path.join(packageFolder(), program)].map(argument).join(" ");
  writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o700 });
}
