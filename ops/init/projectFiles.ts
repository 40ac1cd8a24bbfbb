/** The files of a Pulumi project next to its stack files. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { nearestProject } from "../../config/files/folders.ts";
import { PROJECT_NAME } from "../../config/files/projectFile.ts";
import { UserError } from "../../config/errors/userError.ts";
import { jsonText } from "../text.ts";

const PULUMI = `name: gatehouse # part of the path of the state; Gatehouse refuses another name
description: Services behind single sign-on, and a database as a public read-only API
runtime:
  name: nodejs
  options:
    # Node.js strips the types of index.ts by itself.
    typescript: false
plugins:
  analyzers:
    # The policy pack, which every preview and deployment runs.
    - name: policy-nodejs
      path: node_modules/gatehouse/dist/policy/bin
`;

const PROGRAM = `// The Pulumi program, which both \`pulumi up\` and \`gatehouse deploy\` run. It can have other resources next to Gatehouse.
import { Gatehouse } from "gatehouse";

// A function, because one command runs it for the preview and again for the deployment.
export default () => {
  const { identityProvider, jwks } = new Gatehouse("gatehouse");
  return { identityProvider, jwks };
};
`;

const IGNORED = ["node_modules/", ".gatehouse/", "creations-*.jsonl"];

interface Manifest {
  readonly type?: string;
  readonly main?: string;
}

/**
 * Returns the content of each file of the project that is missing or incomplete.
 * @param folder of the project
 * @throws UserError when the folder has another project
 */
export function projectFiles(folder: string): ReadonlyMap<string, string> {
  const read = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined;
  const files = new Map<string, string>();
  const write = (name: string, text: string | undefined): void => void (text && files.set(name, text));
  write("Pulumi.yaml", pulumiFile(read("Pulumi.yaml")));
  write("index.ts", read("index.ts") === undefined ? PROGRAM : undefined);
  write("package.json", manifest(read("package.json")));
  write(".gitignore", ignored(read(".gitignore")));
  return files;
}

/** Returns the folder of the project that a folder is in: its own, or that of the nearest Pulumi.yaml, if it is one of Gatehouse. */
export function projectOf(folder: string): string {
  const nearest = nearestProject(folder);
  if (nearest === undefined) return folder;
  return nameOf(readFileSync(join(nearest, "Pulumi.yaml"), "utf8")) === PROJECT_NAME ? nearest : folder;
}

function nameOf(text: string): unknown {
  return parsed("Pulumi.yaml", () => parse(text) as { name?: unknown } | null)?.name;
}

function pulumiFile(text: string | undefined): string | undefined {
  if (text === undefined) return PULUMI;
  const name = nameOf(text);
  if (name === PROJECT_NAME) return undefined;
  throw new UserError(
    `Pulumi.yaml is of the project ${String(name)}, and a stack of Gatehouse is in a project with the name gatehouse. Run gatehouse init in a separate folder.`,
  );
}

/** @throws UserError without the parser's message, which quotes the file */
function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new UserError(`${file} cannot be parsed`, "correct it, or run gatehouse init in a separate folder");
  }
}

/** Returns package.json with `type` and `main`, without the package itself: in the npm registry, its name belongs to another project. */
function manifest(text: string | undefined): string | undefined {
  const found = parsed("package.json", () => JSON.parse(text ?? '{ "private": true }') as Manifest);
  const { type = "module", main = "index.ts" } = found;
  if (type !== "module" || main !== "index.ts") {
    throw new UserError(
      `package.json has type ${type} and main ${main}, and the program of Gatehouse needs type module and main index.ts. ` +
        "Change them, or run gatehouse init in a separate folder.",
    );
  }
  return found.type && found.main ? undefined : jsonText({ ...found, type, main });
}

function ignored(text = ""): string | undefined {
  const missing = IGNORED.filter((line) => !text.split("\n").includes(line));
  if (missing.length === 0) return undefined;
  return [...text.split("\n").filter((line, i, all) => line !== "" || i < all.length - 1), ...missing, ""].join("\n");
}
