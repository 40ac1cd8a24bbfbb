import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const files = globSync("{bench,catalog,config,emulators,infra,local,ops,policy,protections,test}/**/*.{ts,tsx,js}", {
  cwd: root,
  exclude: ["**/node_modules", "**/dist"],
});
const imports = new Map(
  files.map((file) => {
    const found = readFileSync(join(root, file), "utf8").matchAll(/^(?:import|export)\b[^;"]*?from "(\.[^"]+)"/gm);
    return [file, Array.from(found, ([, path = ""]) => join(dirname(file), path))];
  }),
);

/** Whether the file is among what it imports, directly or through other files. */
function isCircular(file: string): boolean {
  const reached = new Set(imports.get(file));
  for (const next of reached) for (const further of imports.get(next) ?? []) reached.add(further);
  return reached.has(file);
}

test("has no circular imports", () => {
  expect(files.filter(isCircular)).toEqual([]);
});
