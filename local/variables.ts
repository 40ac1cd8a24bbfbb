import { filledIn, secretTexts } from "../config/variables/secretText.ts";
import type { SecretText, Settings } from "../config/settings.ts";
import { localVariables } from "./platform/secrets.ts";

/** Template variables by name. */
export type Variables = Readonly<Record<string, string>>;

/** Returns a value for every secret variable that the settings name, see {@link localVariables}. */
export function secretVariables(
  data: string,
  settings: Settings,
  given: Readonly<Record<string, string | undefined>>,
): Variables {
  const names = new Set(secretTexts(settings).flatMap(({ variables }) => variables));
  return localVariables(data, [...names], given);
}

/** Returns the text with its variables filled in. */
export function fill(text: SecretText, variables: Variables): string {
  return filledIn(text, (name) => variables[name] ?? "");
}
