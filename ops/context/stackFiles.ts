import { readdirSync } from "node:fs";
import { basename } from "node:path";

/** Returns the stacks whose files are among these, sorted. */
export function stacksOf(files: readonly string[]): string[] {
  return files.flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []).sort();
}

/** Returns the stacks that have a file in a folder, sorted. */
export function stacksIn(folder: string): string[] {
  return stacksOf(readdirSync(folder));
}

/** Returns the name of a stack whose file can have any name. */
export function stackOf(path: string): string {
  return basename(path)
    .replace(/^Pulumi\./, "")
    .replace(/\.ya?ml$/, "");
}
