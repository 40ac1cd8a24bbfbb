/** The most characters that a cell of the table shows; the details of a row have all. */
const CELL_LENGTH = 200;

/**
 * A text whose invisible characters can be seen, so that no value looks like another: those that control, that turn the direction of text or
 * have no width are written as `⟨U+202E⟩`. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `⟨U+${hex(character.codePointAt(0) ?? 0)}⟩`);
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, "0");
}

// Control and format characters, line separators, halves of surrogate pairs; not the joiners that scripts and emoji are written with.
const INVISIBLE = /(?![\t\r\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The beginning of a text, and whether something was left out. Never cuts a character in two. */
export function shortened(text: string, length = CELL_LENGTH): { text: string; cut: boolean } {
  if (text.length <= length) return { text, cut: false };
  return { text: text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, ""), cut: true };
}

/** A value of a row as text: JSON for what has parts, nothing for null. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
