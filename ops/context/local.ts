import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RawStack } from "../../config/load.ts";

/** What the start of the local platform decided: all that a deploying shell has to know of it. */
export interface LocalContext {
  /** Name of the context in the kubeconfig. */
  readonly context: string;
  readonly stack: string;
  /** What it sets on top of the stack file, by full key. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Kubeconfig, backend, passphrase, folder of the plugins, and every secret template variable. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Whole or not at all, for its owner alone: it holds secrets. */
export function writeLocalContext(data: string, context: LocalContext): void {
  const file = fileIn(data);
  writeFileSync(`${file}.new`, `${JSON.stringify(context, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** @returns undefined when no platform was ever started on that data folder */
export function readLocalContext(data: string): LocalContext | undefined {
  const file = fileIn(data);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as LocalContext) : undefined;
}

/** What it sets on top of the stack file, as a stack's configuration holds it. */
export function configOf(local: LocalContext | undefined): RawStack["config"] {
  return Object.fromEntries(Object.entries(local?.config ?? {}).map(([key, value]) => [key, { value }]));
}

function fileIn(data: string): string {
  return join(data, "context.json");
}
