/** Pieces of sentences. Pure. */

/** Around a name in a sentence (Unicode isolates): no name can hold them, since {@link mark} takes them out. */
const [OPEN, CLOSE] = ["\u2068", "\u2069"];

/** A name out of a configuration: whatever could pass for something else on a terminal is a question mark. */
export function mark(name: string): string {
  return `${OPEN}${name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")}${CLOSE}`;
}

/** @param show what becomes of a name; `plain` of the text between names */
export function render(sentence: string, show: (name: string) => string, plain: (text: string) => string): string {
  return sentence
    .split(OPEN)
    .map((part, index) => {
      if (index === 0) return plain(part);
      const [name = "", rest = ""] = part.split(CLOSE);
      return show(name) + plain(rest);
    })
    .join("");
}

/** `a, b and c`. */
export function names(list: readonly string[]): string {
  const marked = list.map(mark);
  return marked.length < 2 ? marked.join("") : `${marked.slice(0, -1).join(", ")} and ${marked.at(-1) ?? ""}`;
}

/** `b instead of a`. */
export function moved(before: string, after: string): string {
  return `${mark(after)} instead of ${mark(before)}`;
}

/** What is new in a list and what is gone from it, each with a phrase before it. */
export function listOf(
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  more: string,
  less: string,
): string {
  const gained = after.filter((item) => !before.includes(item));
  const lost = before.filter((item) => !after.includes(item));
  return [
    ...(gained.length > 0 ? [`${more} ${names(gained)}`] : []),
    ...(lost.length > 0 ? [`${less} ${names(lost)}`] : []),
  ].join(", and ");
}
