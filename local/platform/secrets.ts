/** Secrets of a data folder, each generated on first use and readable by the owner of the folder only. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { SecretText, Settings } from "../../config/settings.ts";
import { filledIn, secretTexts } from "../../config/variables/secretText.ts";
import { readJson, writePrivate } from "./privateFile.ts";

/** Values by name. */
export type Secrets = Readonly<Record<string, string>>;

/** Returns the password of that name for a program of the platform, stored in `<data>/secrets.json`. */
export function localSecret(data: string, name: string): string {
  const file = join(data, "secrets.json");
  const secrets = readJson<Secrets>(file) ?? {};
  const value = secrets[name] ?? generate();
  if (secrets[name] === undefined) writePrivate(file, { ...secrets, [name]: value });
  return value;
}

/**
 * Returns a value for each secret variable that the settings name, stored in `<data>/variables.json`, which commands of the documentation read.
 * @param given values that are decided elsewhere, e.g. the password of the platform's Postgres
 */
export function secretVariables(
  data: string,
  settings: Settings,
  given: Readonly<Record<string, string | undefined>>,
): Secrets {
  const file = join(data, "variables.json");
  const stored = readJson<Secrets>(file) ?? {};
  const names = new Set(secretTexts(settings).flatMap(({ variables }) => variables));
  const values = Object.fromEntries([...names].map((name) => [name, given[name] ?? stored[name] ?? generate()]));
  writePrivate(file, values);
  return values;
}

/** Returns the text with its variables filled in. */
export function fill(text: SecretText, variables: Secrets): string {
  return filledIn(text, (name) => variables[name] ?? "");
}

/** 24 random bytes: letters and digits, and no more than the 99 characters that authentik's database password may have. */
function generate(): string {
  return randomBytes(24).toString("hex");
}
