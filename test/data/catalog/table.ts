/** The table of rows as a person sees it, and the same from the API's answer. */
import type { Page } from "playwright-core";
import { ask } from "../api-client.ts";
import { texts } from "./browser.ts";

export const ROWS = '[aria-label="Table of rows"]';

/** Names of the columns in sight. */
export function shownColumns(page: Page): Promise<string[]> {
  return texts(page, `${ROWS} thead th button:first-child bdi`);
}

/** The cells in sight, row by row, without the row's number. */
export function shownRows(page: Page): Promise<string[][]> {
  return page
    .locator(`${ROWS} tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td:not(.gap)")].map((cell) => cell.textContent)),
    );
}

/** Which rows are shown, of how many, and what is not shown. */
export async function shownTotals(page: Page): Promise<string> {
  return (await texts(page, "section[aria-labelledby=rows] > p[role=status]")).join(" ");
}

/** Rows of the API as the table writes them. */
export function written(rows: readonly Record<string, unknown>[]): string[][] {
  return rows.map((row) =>
    Object.values(row).map((value) =>
      value === null ? "null" : typeof value === "string" ? value : JSON.stringify(value),
    ),
  );
}

/** What the API itself answers, as the table writes it. @param target of `marts`, e.g. `dim_fylke?order=fylke_nr` */
export async function asked(target: string, schema = "marts"): Promise<string[][]> {
  const answer = await ask(`GET /${target}`, { headers: { "Accept-Profile": schema } });
  return written(JSON.parse(answer.body) as Record<string, unknown>[]);
}
