import { cellText } from "./visible.ts";

/** Rows as CSV (RFC 4180, with a byte order mark, which spreadsheets need to see UTF-8). */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  return `\uFEFF${csvLine(columns)}${csvLines(columns, rows)}`;
}

/** Further rows of the same file. */
export function csvLines(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  return rows.map((row) => csvLine(columns.map((column) => row[column]))).join("");
}

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

/** One cell. Text that a spreadsheet would run as a formula starts with an apostrophe, after the advice of OWASP on CSV injection. */
export function csvCell(value: unknown): string {
  const text = cellText(value);
  const harmless = typeof value === "string" && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n\t']/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

// Full-width forms are turned into ASCII by spreadsheets in some languages; what cannot be seen in front of a formula is skipped by others.
const FORMULA = /^[\p{White_Space}\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20|]|^[\t\r\n]/u;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/u;
