import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";
import defaultProgram from "../../infra/index.ts";

/** What Node.js runs for a folder whose package.json has no `main`, and Pulumi in addition. */
const DEFAULTS = ["index.ts", "index.js"];

/**
 * Returns the Pulumi program of a project, which `pulumi up` runs, too: its resources next to those of Gatehouse would otherwise be deleted.
 * @param project folder with Pulumi.yaml; without a program in it, the program has the component Gatehouse only
 * @throws UserError when package.json cannot be read, or the program cannot be loaded or is not a function
 */
export async function programOf(project: string): Promise<PulumiFn> {
  const main = mainOf(project);
  if (main === undefined) return defaultProgram;
  const { default: program } = (await import(pathToFileURL(join(project, main)).href).catch((error: unknown) => {
    throw new UserError(`${main} cannot be loaded: ${errorText(error)}${placeOf(error, project)}`);
  })) as { default?: unknown };
  if (typeof program !== "function") {
    throw new UserError(
      `${main}: the default export is not a function. Write export default () => { ... }, because gatehouse runs the program for the preview and again for the deployment.`,
    );
  }
  return async () => (program as () => ReturnType<PulumiFn>)();
}

/** Returns ` (FILE:LINE)` of an error in a project; empty if Node.js does not report it. */
function placeOf(error: unknown, project: string): string {
  const parts = error instanceof Error ? (error.stack?.split(/file:\/\/|[\s()]/) ?? []) : [];
  const place = parts.find((part) => part.startsWith(join(project, "/")) && /:\d+$/.test(part));
  return place === undefined ? "" : ` (${place})`;
}

function mainOf(project: string): string | undefined {
  const manifest = join(project, "package.json");
  const { main } = existsSync(manifest) ? manifestOf(manifest) : {};
  return main ?? DEFAULTS.find((name) => existsSync(join(project, name)));
}

function manifestOf(file: string): { readonly main?: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { main?: string };
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${errorText(error)}`);
  }
}
