/** Numbers, lists and JSON in what the commands print. Pure. */

const AND = new Intl.ListFormat("en-GB");

/** Returns `1 host` or `3 hosts`. @param many default: `one` with an s */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Returns `a, b and c`. */
export function listed(texts: readonly string[]): string {
  return AND.format(texts);
}

/** Returns the first texts, and instead of the others `and 3 more`. */
export function firstOf(texts: readonly string[], max: number): string[] {
  const more = texts.length - max;
  return more > 0 ? [...texts.slice(0, max), `and ${more} more`] : [...texts];
}

/** Returns a value as JSON: indented, with a line break at the end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Returns a text as an argument of a shell. */
export function argument(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
