import Papa from "papaparse";
import { cellText } from "./visible.ts";

/**
 * Returns rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula starts with an apostrophe, as OWASP recommends against CSV injection.
 * Every cell of a single column is quoted: pandas and readr skip the blank line that an empty one would be.
 * @param header whether to start a file: with a byte order mark, by which spreadsheets recognize UTF-8, and the names of the columns
 */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[], header = true): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])));
  const text = Papa.unparse(header ? [[...columns], ...lines] : lines, {
    escapeFormulae: FORMULA,
    quotes: columns.length === 1,
  });
  return `${header ? "\uFEFF" : ""}${text}\r\n`;
}

/** A number stays one: a negative number is no formula. */
function cell(value: unknown): string | number {
  return typeof value === "number" ? value : cellText(value);
}

// Not a number; spreadsheets in some languages convert full-width forms to ASCII, and others skip invisible characters before a formula.
const FORMULA =
  /^(?![+-]?\d+([.,]\d+)?([eE][+-]?\d+)?$)([\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20|]|[\t\r\n])/u;
