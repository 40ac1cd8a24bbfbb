import { existsSync, readFileSync } from "node:fs";
import { jsonText } from "../../ops/text.ts";
import { replaceFile } from "../../ops/toolchain/replaceFile.ts";

/** Returns the content of a JSON file; undefined if it does not exist. */
export function readJson<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : undefined;
}

/** Writes a JSON file atomically, readable by its owner only. */
export function writePrivate(file: string, value: object): void {
  replaceFile(file, jsonText(value), 0o600);
}
