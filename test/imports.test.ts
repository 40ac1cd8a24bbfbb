import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const files = globSync(
  "{bench,catalog,config,emulators,infra,local,manifests,ops,policy,protections,test}/**/*.{ts,tsx,js}",
  {
    cwd: root,
    exclude: ["**/node_modules", "**/dist"],
  },
);
const imports = new Map(
  files.map((file) => {
    const found = readFileSync(join(root, file), "utf8").matchAll(
      /^(?:import|export)\b[^;"]*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm,
    );
    return [file, Array.from(found, ([, path, dynamic]) => join(dirname(file), path ?? dynamic ?? ""))];
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

const BELOW_COMPONENTS = /^(catalog\/src\/(api|i18n|state|text)\/|config\/sections\/dataApi\/limits\.ts$)/;

/** Folders that the files of a folder import from, next to their own. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  config: /^(config|protections|infra\/plan)\//,
  protections: /^(protections|config|infra\/plan)\/|^infra\/(gateway\/traefik|identity\/headers)\.ts$/,
  infra: /^(infra|config|protections|sdks)/,
  manifests: /^manifests\//,
  policy: /^(policy|manifests|config|protections|infra)\//,
  // One table has the limits that the stack sets and the catalog publishes.
  catalog: /^(catalog\/|config\/sections\/dataApi\/limits\.ts$)/,
  "catalog/src/api": BELOW_COMPONENTS,
  "catalog/src/i18n": BELOW_COMPONENTS,
  "catalog/src/state": BELOW_COMPONENTS,
  "catalog/src/text": BELOW_COMPONENTS,
  "catalog/src/components": /^catalog\/(pages\.ts$|src\/(api|components|i18n|state|text)\/)/,
  // An error in Gatehouse must not be repeated by the program that it is tested with.
  "emulators/authentik": /^emulators\//,
  "emulators/programs": /^emulators\//,
  "emulators/plugins": /^(emulators\/|infra\/apiRetry\.ts$)/,
};

test.each(Object.entries(ALLOWED))("%s imports nothing of other folders", (folder, allowed) => {
  const own = [...imports].filter(([file]) => file.startsWith(`${folder}/`));
  expect(
    own.flatMap(([file, paths]) => paths.filter((path) => !allowed.test(path)).map((path) => [file, path])),
  ).toEqual([]);
  expect(own.length).toBeGreaterThan(0);
});

/** Folders of ops/: each imports from those before it. */
const LAYERS =
  "launcher terminal toolchain context clients engine checks deployment package import init commands".split(" ");
const layerOf = (file: string): number => {
  const [top, folder = "", name] = file.split("/");
  // A file next to the folders.
  return top !== "ops" || name === undefined ? -1 : LAYERS.indexOf(folder) + 1;
};

test("imports in one direction between the folders of ops/", () => {
  const own = [...imports].filter(([file]) => layerOf(file) >= 0);
  expect(own.filter(([file]) => layerOf(file) === 0)).toEqual([]);
  expect(
    own.flatMap(([file, paths]) => paths.filter((path) => layerOf(path) > layerOf(file)).map((path) => [file, path])),
  ).toEqual([]);
});
