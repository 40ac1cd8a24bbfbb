import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the folders of installed packages and of everything that they depend on, below `node_modules` of the project. */
export function packageFolders(project: string, names: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = resolvePackage(project, name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
    for (const dependency of Object.keys(dependencies)) add(dependency, folder);
  };
  for (const name of names) add(name, project);
  // A nested package is part of the folder that contains it.
  return [...found].filter((folder) => ![...found].some((other) => folder.startsWith(`${other}/`)));
}

/** Resolves a package like Node.js: in the nearest `node_modules`, then in parent folders. */
function resolvePackage(project: string, name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(project); folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    if (existsSync(path.join(candidate, "package.json"))) return candidate;
  }
  return undefined;
}
