/** Maximum number of characters in a cell of the table. The details of a row show all. */
const CELL_LENGTH = 200;

/**
 * Returns a text with visible characters only, so that no value looks like another: control characters, those that change the direction of text, and those
 * without width become `⟨U+202E⟩`. Keeps line ends and tabs.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `⟨U+${hex(character.codePointAt(0) ?? 0)}⟩`);
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, "0");
}

// Control and format characters, line separators, halves of surrogate pairs; not the joiners that scripts and emoji are written with.
const INVISIBLE = /(?![\t\r\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns the start of a text, and whether the rest was omitted. Never splits a character. */
export function shortened(text: string, length = CELL_LENGTH): { text: string; cut: boolean } {
  if (text.length <= length) return { text, cut: false };
  return { text: text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, ""), cut: true };
}

/** Returns a value of a row as text: JSON for an object or an array, an empty text for null. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
