import { secretTexts } from "../config/variables/secretText.ts";
import type { Settings } from "../config/settings.ts";

/** A shorter value can be part of other texts by chance. */
const SHORTEST = 8;
/** May be a secret variable, and need not be one. */
const NO_SECRETS = new Set(["clientId"]);

/**
 * Returns the values of the template variables in a stack's secret fields, by name.
 * @param valueOf looks a variable up; undefined when it is not known
 */
export function secretValues(
  settings: Settings,
  valueOf: (variable: string) => string | undefined,
): ReadonlyMap<string, string> {
  const names = new Set(secretTexts(settings, NO_SECRETS).flatMap(({ variables }) => variables));
  const known = [...names].flatMap((name): [string, string][] => {
    const value = valueOf(name);
    return value !== undefined && value.length >= SHORTEST ? [[name, value]] : [];
  });
  return new Map(known);
}
