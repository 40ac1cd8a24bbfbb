/** The table of rows in the page, and the expected rows from the API. */
import type { Page } from "playwright-core";
import { sendRequest } from "../apiClient.ts";
import { texts } from "./browser.ts";

export const ROWS = '[aria-label="Table of rows"]';

/** Returns the names of the visible columns. */
export function shownColumns(page: Page): Promise<string[]> {
  return texts(page, `${ROWS} thead th button:first-child bdi`);
}

/** Returns the visible cells of each row, without the row's number. */
export function shownRows(page: Page): Promise<string[][]> {
  return page
    .locator(`${ROWS} tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td:not(.gap)")].map((cell) => cell.textContent)),
    );
}

/** Returns the text about the shown range and the total. */
export async function shownTotals(page: Page): Promise<string> {
  return (await texts(page, "section[aria-labelledby=rows] > p[role=status]")).join(" ");
}

/** Formats rows of the API as the table does. */
export function formatRows(rows: readonly Record<string, unknown>[]): string[][] {
  return rows.map((row) =>
    Object.values(row).map((value) =>
      value === null ? "null" : typeof value === "string" ? value : JSON.stringify(value),
    ),
  );
}

/** Returns rows of the API formatted as in the table. @param target of `marts`, e.g. `dim_fylke?order=fylke_nr` */
export async function expectedRows(target: string, schema = "marts"): Promise<string[][]> {
  const response = await sendRequest(`GET /${target}`, { headers: { "Accept-Profile": schema } });
  return formatRows(JSON.parse(response.body) as Record<string, unknown>[]);
}
