import { randomBytes } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filledIn, secretTexts } from "../config/secretText.ts";
import type { SecretText, Settings } from "../config/settings.ts";

/** Template variables by name. */
export type Variables = Readonly<Record<string, string>>;

/**
 * Returns a value for every secret variable that the settings name: generated once, and stored in the data folder, readable by its owner only.
 * @param given values that are decided elsewhere: the shell's own, and the password of the platform's Postgres
 */
export async function secretVariables(
  data: string,
  settings: Settings,
  given: Readonly<Record<string, string | undefined>>,
): Promise<Variables> {
  const file = join(data, "variables.json");
  const kept = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Variables;
  const names = [...new Set(secretTexts(settings).flatMap(({ variables }) => variables))];
  const values = Object.fromEntries(names.map((name) => [name, given[name] ?? kept[name] ?? generate()]));
  await writeFile(file, JSON.stringify(values, null, 2), { mode: 0o600 });
  await chmod(file, 0o600);
  return values;
}

/** 24 random bytes: letters and digits, and no more than the 99 characters that authentik's database password may have. */
function generate(): string {
  return randomBytes(24).toString("hex");
}

/** The text with its variables filled in. */
export function fill(text: SecretText, variables: Variables): string {
  return filledIn(text, (name) => variables[name] ?? "");
}
