import Papa from "papaparse";
import { cellText } from "./visible.ts";

/**
 * Returns rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula starts with an apostrophe, as OWASP recommends against CSV injection
 * (https://owasp.org/www-community/attacks/CSV_Injection). So does the rest of a text after a semicolon, a tab or the end of a line: a spreadsheet that
 * separates cells by semicolons, as Excel does in Norwegian, interprets a quote at the start of a cell only, and starts a cell or a row there.
 * Every cell of a single column is quoted: pandas and readr skip the blank line that an empty one would be.
 * @param header whether to start a file: with a byte order mark, by which spreadsheets recognize UTF-8, and the names of the columns
 */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[], header = true): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])));
  const text = Papa.unparse(header ? [columns.map(cell), ...lines] : lines, {
    escapeFormulae: FORMULA,
    quotes: columns.length === 1,
  });
  return `${header ? "\uFEFF" : ""}${text}\r\n`;
}

/** Returns a cell. A negative number is not a formula, so numbers are not changed. */
function cell(value: unknown): string | number {
  return typeof value === "number"
    ? value
    : cellText(value).replace(LATER_FORMULA, (run) => run.replace(/[;\t\r\n]/gu, "$&'"));
}

// Not a number; spreadsheets in some languages convert full-width forms to ASCII, and others skip invisible characters before a formula.
const FORMULA =
  /^(?![+-]?\d+([.,]\d+)?([eE][+-]?\d+)?$)([\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20|]|[\t\r\n])/u;

/** A separator before a formula. A number counts as one: what follows it in the file belongs to the same cell there. */
// The lookbehind starts each match at the beginning of a run, so that the time is linear in the length.
const LATER_FORMULA =
  /(?<![;\p{White_Space}\p{Cc}\p{Cf}"])[;\p{White_Space}\p{Cc}\p{Cf}"]+(?=[=+\-@|\uFF1D\uFF0B\uFF0D\uFF20])/gu;
