import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

/** Reads the file. @returns undefined if no platform was started with this data folder */
export function readLocalContext(data: string): LocalContext | undefined {
  const file = fileIn(data);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as LocalContext) : undefined;
}

/** Returns the config that overrides the stack file, in the form of a stack's configuration. */
export function configOf(local: LocalContext | undefined): RawStack["config"] {
  return Object.fromEntries(Object.entries(local?.config ?? {}).map(([key, value]) => [key, { value }]));
}

function fileIn(data: string): string {
  return join(data, "context.json");
}
