/** Text with `${NAME}` template variables that stays unresolved because it can contain a secret, e.g. `${GRAFANA_CLIENT_SECRET}`. */
export interface SecretText {
  /** The text as written in the stack file. */
  readonly template: string;
  /** The names of the variables in it, in order of appearance. */
  readonly variables: readonly string[];
}

/**
 * Returns every secret text within a value, e.g. within whole settings.
 * @param passOver keys that are not looked into. Default: none
 */
export function secretTexts(value: unknown, passOver: ReadonlySet<string> = new Set()): SecretText[] {
  if (typeof value !== "object" || value === null) return [];
  if ("template" in value && "variables" in value) return [value as SecretText];
  return Object.entries(value).flatMap(([key, inside]) => (passOver.has(key) ? [] : secretTexts(inside, passOver)));
}

/**
 * Returns the text with its variables filled in. A value is used as it is, even if it contains `${…}`.
 * @param valueOf looks a variable up, by its name and its position among the text's variables
 * @throws what `valueOf` throws
 */
export function filledIn(
  { template, variables }: SecretText,
  valueOf: (name: string, position: number) => string,
): string {
  const values = new Map(variables.map((name, position) => [`\${${name}}`, valueOf(name, position)]));
  return template.replace(/\$\{[^{}]*\}/g, (reference) => values.get(reference) ?? reference);
}
