/** Pieces of sentences. Pure. */
import { listed } from "../../text.ts";

/** Around a name in a sentence (Unicode isolates): no name contains them, since {@link mark} removes them. */
const [OPEN, CLOSE] = ["\u2068", "\u2069"];

/** Returns a name of a configuration with marks around it; characters that could imitate other output on a terminal become question marks. */
export function mark(name: string): string {
  return `${OPEN}${name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")}${CLOSE}`;
}

/** Returns a marked name; `none` without one. */
export function optional(name: string | undefined): string {
  return name === undefined ? "none" : mark(name);
}

/** Returns a sentence without its marks. @param show returns a name as the output shows it; default: unchanged */
export function render(sentence: string, show = (name: string) => name): string {
  const [first = "", ...parts] = sentence.split(OPEN);
  const rest = parts.map((part) => {
    const [name = "", text = ""] = part.split(CLOSE);
    return show(name) + text;
  });
  return first + rest.join("");
}

/** Returns `a, b and c`, each marked. */
export function names(list: readonly string[]): string {
  return listed(list.map(mark));
}

/** Maximum names of a list in a comment, which has a maximum length. */
const MAX_NAMES = 50;
const NAME = `${OPEN}[^${CLOSE}]*${CLOSE}`;
const LIST = new RegExp(`${NAME}(?:(?:, | and )${NAME})*`, "g");

/** Returns a sentence with the first names of each list. @param more returns the text for the other ones */
export function shorten(sentence: string, more: (count: number) => string): string {
  return sentence.replaceAll(LIST, (list) => {
    const all = list.match(new RegExp(NAME, "g")) ?? [];
    return all.length > MAX_NAMES ? listed([...all.slice(0, MAX_NAMES), more(all.length - MAX_NAMES)]) : list;
  });
}

export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Returns what one list has and the other does not, in their order. */
export function difference(before: readonly string[], after: readonly string[]): Difference {
  const [old, now] = [new Set(before), new Set(after)];
  return { added: after.filter((item) => !old.has(item)), removed: before.filter((item) => !now.has(item)) };
}

/** Returns what was added and what was removed, each after a phrase. */
export function differenceText({ added, removed }: Difference, more: string, less: string, glue = ", and "): string {
  const parts = [added.length > 0 && `${more} ${names(added)}`, removed.length > 0 && `${less} ${names(removed)}`];
  return parts.filter(Boolean).join(glue);
}
