/** The files of the catalog: the output of `npm run build:catalog`, and the contract of the stack (contract/). */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { packageFolder, projectFolder } from "../../config/files/folders.ts";
import type { DataApi } from "../../config/settings.ts";

/** Compressed files are what the server reads (catalog/server/site.ts). */
const COMPRESSED = ".br";
/** Bundled last, so that a build without it is incomplete. */
const SERVER = "server.mjs";
/** Content of all files of a ConfigMap (Kubernetes docs, "ConfigMaps"). */
const MAX_BYTES = 1_048_576;
const HINT = "run: npm run build:catalog";

/** Content by path below the server's folder. */
export type CatalogFiles = ReadonlyMap<string, Buffer>;

/**
 * Returns why the build cannot be deployed; undefined if it exists and is up to date. The npm package has no sources to compare it with, and
 * package managers set the times of its files in any order.
 * @param folder that contains the folder of the catalog
 */
export function buildProblem(folder = packageFolder()): string | undefined {
  const sources = join(folder, "catalog");
  const server = join(sources, "dist", SERVER);
  if (!existsSync(server)) return "the catalog is not built";
  if (!existsSync(join(sources, "src"))) return undefined;
  const newest = Math.max(...sourcesBelow(sources).map((file) => statSync(file).mtimeMs));
  return newest > statSync(server).mtimeMs ? "the catalog is older than its sources" : undefined;
}

/**
 * Returns the server, the files that it serves, and the contract of the default schema with its changelog, if they exist.
 * @param built folder that contains the folder of the catalog
 * @param project folder of the stack files
 * @throws Error when the build is missing, older than its sources or too large
 */
export function readCatalogFiles(
  dataApi: DataApi,
  stack: string,
  built = packageFolder(),
  project = projectFolder(),
): CatalogFiles {
  const problem = buildProblem(built);
  if (problem !== undefined) throw new Error(`${problem}; ${HINT}`);
  const files = new Map([...builtFiles(built), ...contractFiles(dataApi, stack, project)]);
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (bytes > MAX_BYTES) {
    throw new Error(
      `the built catalog has ${bytes} bytes, but a ConfigMap can contain at most ${MAX_BYTES}. Reduce its size.`,
    );
  }
  return files;
}

function builtFiles(folder: string): [string, Buffer][] {
  const built = join(folder, "catalog/dist");
  return readdirSync(built, { recursive: true, encoding: "utf8" })
    .filter((path) => path === SERVER || path.endsWith(COMPRESSED))
    .sort()
    .map((path) => [path, readFileSync(join(built, path))]);
}

function contractFiles({ exposed: [api = ""] }: DataApi, stack: string, project: string): [string, Buffer][] {
  const served = { "contract.json": `${api}.json`, "changelog.md": "CHANGELOG.md" };
  return Object.entries(served).flatMap(([name, source]) => {
    const file = join(project, "contract", stack, source);
    return existsSync(file) ? [[name + COMPRESSED, brotliCompressSync(readFileSync(file))]] : [];
  });
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.startsWith(join(folder, "dist/")));
}
