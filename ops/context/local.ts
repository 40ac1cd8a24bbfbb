import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../config/errors/userError.ts";
import type { RawStack } from "../../config/load.ts";
import { replaceFile } from "../toolchain/replaceFile.ts";
import { jsonText } from "../text.ts";

/** Values of the local platform's start that a deploying shell needs. */
interface LocalContext {
  readonly context: string;
  readonly stack: string;
  /** Config that overrides the stack file, by full key. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Kubeconfig, backend, passphrase, folder of the plugins, and every secret template variable. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Writes the file atomically and readable for its owner only, because it contains secrets. */
export function writeLocalContext(data: string, context: LocalContext): void {
  replaceFile(fileIn(data), jsonText(context), 0o600);
}

/** Reads the file. @returns undefined if no platform was started with this data folder @throws UserError when it is another user's */
export function readLocalContext(data: string): LocalContext | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(data), "utf8")) as LocalContext;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code !== "EACCES") throw error;
    throw new UserError(
      `the data folder ${data} belongs to another user`,
      "set GATEHOUSE_DATA to a folder of this user",
    );
  }
}

/** Returns the config that overrides the stack file, in the form of a stack's configuration. */
export function configOf(local: LocalContext | undefined): RawStack["config"] {
  return Object.fromEntries(Object.entries(local?.config ?? {}).map(([key, value]) => [key, { value }]));
}

function fileIn(data: string): string {
  return join(data, "context.json");
}
