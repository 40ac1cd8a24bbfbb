/** Data that contains markup, scripts or formulas: the pages show it as text, and exports neutralize formulas. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sendRequest, until } from "../apiClient.ts";
import { settled, texts, useBrowser } from "./browser.ts";
import { ATTACK, CELLS, COLUMNS, createRelation, FORMULAS, RELATION, removeRelation, SOURCE, TITLE } from "./markup.ts";
import { shownColumns, shownRows } from "./table.ts";

const visit = useBrowser();
const TABLE = `/data/marts/${encodeURIComponent(RELATION)}`;
const CANVAS = `${TABLE}?${new URLSearchParams({ x: "kommune_nr", y: "=1+1", series: ATTACK })}`;

beforeAll(createRelation);
afterAll(removeRelation);

/** Returns the effects of injected markup: elements, links with other schemes than http, event handlers, and executed scripts. */
function injectedMarkup(page: Page): Promise<unknown> {
  return page.evaluate(() => ({
    elements: [
      ...document.querySelectorAll("body :is(script, img, iframe, object, embed, svg, style, base, meta, b)"),
    ].map((element) => element.outerHTML),
    links: [...document.querySelectorAll("a")]
      .map(({ protocol }) => protocol)
      .filter((protocol) => !/^https?:$/.test(protocol)),
    handlers: [...document.querySelectorAll("*")].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith("on")),
    ).length,
    executed: (globalThis as { attacked?: number }).attacked ?? "nothing",
  }));
}
const NONE = { elements: [], links: [], handlers: 0, executed: "nothing" };

describe("markup in every field", () => {
  test("is shown as text in the list, its tags, its search and its address", async () => {
    await visit(
      `/data?tag=${encodeURIComponent("topic:<b>")}&q=${encodeURIComponent(ATTACK)}&column=${encodeURIComponent(ATTACK)}&value=x`,
      async (page) => {
        expect(await texts(page, "h1")).toEqual([`Tables with the column ${ATTACK} (links filter by x)`]);
        expect(await injectedMarkup(page)).toEqual(NONE);
        await page.getByRole("button", { name: "Remove topic:<b>" }).click();
        await page.getByText("1 of 1 table").waitFor();
        expect((await texts(page, ".endpoint"))[0]).toContain(
          `${TITLE.replace("\u202E", "⟨U+202E⟩")} marts.${RELATION} · fact`,
        );
        expect((await texts(page, ".endpoint"))[0]).toContain(`Description ${ATTACK}`);
        expect(await injectedMarkup(page)).toEqual(NONE);
      },
    );
  });

  test("is shown as text in the table, its header, its reference, its terms and its citation", async () => {
    await visit(TABLE, async (page) => {
      const title = TITLE.replace("\u202E", "⟨U+202E⟩");
      expect(await texts(page, "h1")).toEqual([`${title} open`]);
      expect(await page.title()).toBe(`${title} – Data catalog`);
      expect(await shownColumns(page)).toEqual([...COLUMNS]);
      const cells = (await shownRows(page)).map(([, cell]) => cell);
      expect(cells.slice(0, CELLS.length)).toEqual(CELLS.map(([text, shown = text]) => shown));
      expect((await shownRows(page))[0]?.[4]).toBe(JSON.stringify({ [ATTACK]: ATTACK }));
      await page.locator(".facts").click();
      expect((await texts(page, ".terms"))[0]).toContain(`Licence ${ATTACK} Attribution ${ATTACK}`);
      expect((await texts(page, "[aria-labelledby=cite] pre"))[0]).toContain(`(marts.${RELATION})`);
      expect(await page.locator(".reference tbody").innerText()).toContain(`Column ${ATTACK}`);
      expect(await injectedMarkup(page)).toEqual(NONE);
    });
  });

  test("is shown as text in the dialog of a row, in a filter and in a chart", async () => {
    await visit(CANVAS, async (page) => {
      await page.locator("canvas").waitFor();
      const [long = ""] = CELLS.find(([text]) => text.length > 10_000) ?? [];
      await page.getByRole("button", { name: "Row 10", exact: true }).click();
      expect(await page.locator("dialog dd").nth(1).textContent()).toBe(long);
      expect(await injectedMarkup(page)).toEqual(NONE);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: `Filter by ${ATTACK}`, exact: true }).click();
      await page.getByLabel("Condition").selectOption({ label: "equals" });
      await page.getByLabel("Value", { exact: true }).fill(ATTACK);
      await page.getByRole("button", { name: "Apply" }).click();
      await until([`${ATTACK} equals “${ATTACK}” ×`], () => texts(page, ".chip"));
      await settled(page);
      expect((await shownRows(page)).map(([id]) => id)).toEqual(["1"]);
      expect(await injectedMarkup(page)).toEqual(NONE);
    });
  });

  test("is shown as text on the page of its source", async () => {
    await visit(`/sources/${encodeURIComponent(SOURCE)}`, async (page) => {
      expect(await texts(page, "h1")).toEqual([ATTACK]);
      expect(await texts(page, "[aria-labelledby=dimensions] tbody tr")).toEqual([
        `${ATTACK} ${ATTACK} ${ATTACK} marts.${RELATION}.${ATTACK} ${JSON.stringify({ note: ATTACK })}`,
      ]);
      // Only http and https addresses are links.
      expect(await page.locator(".terms a").count()).toBe(0);
      expect(await injectedMarkup(page)).toEqual(NONE);
      await page.getByRole("link", { name: `marts.${RELATION}`, exact: true }).click();
      await page.getByText(`Description ${ATTACK}`).waitFor();
    });
  });
});

test("exports every text: unchanged as JSON, and with an apostrophe before formulas as CSV", async () => {
  await visit(`${TABLE}?size=25`, async (page) => {
    await page.getByText("Download", { exact: true }).click();
    const saved = async (format: string): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: format }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^marts\.fact_[\w.-]+\.(csv|json)$/);
      return readFileSync(await download.path(), "utf8");
    };
    const texts = [...CELLS.map(([text]) => text), ...FORMULAS.map((text) => `'${text.replace(/^[\t\r]/, "$&'")}`)];
    const [header, ...rows] = parse(await saved("CSV"));
    expect(header).toEqual(["id", ATTACK, "'=1+1", "kommune_nr", "doc"]);
    expect(rows.map(([, text]) => text)).toEqual(texts);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[\s\p{Cc}\p{Cf}]*[=+\-@|\uFF1D]/u);
    const headers = { "Accept-Profile": "marts" };
    const { body } = await sendRequest(`GET /${encodeURIComponent(RELATION)}?order=id`, { headers });
    expect(await saved("JSON")).toBe(`${body}\n`);
  });
});

/** Parses CSV (RFC 4180) independently of the page's code. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("the Content-Security-Policy", () => {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${inject("data").url}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

  test("is on every response", async () => {
    await visit(
      "/about",
      async (page) => {
        const paths = [
          "/data",
          "/data/marts/dim_fylke",
          "/sources/x",
          "/contract",
          "/config.json",
          "/contract.json",
          "/nowhere",
        ];
        const scripts = await page
          .locator("script[src]")
          .evaluateAll((all) => all.map((each) => each.getAttribute("src")));
        const answers = await page.evaluate(
          (all) => Promise.all(all.map(async (path) => Object.fromEntries((await fetch(path as string)).headers))),
          [...paths, ...scripts],
        );
        expect(answers.length).toBe(8);
        for (const headers of answers) {
          expect(headers).toMatchObject({
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "x-frame-options": "DENY",
          });
        }
      },
      { expected: /status of 404/ },
    );
  });

  test("blocks an injected script, which runs in a page without the policy", async () => {
    const insertMarkup = (page: Page, markup: string): Promise<void> =>
      page.evaluate((text) => {
        document.body.innerHTML = text;
      }, markup);
    const attacked = (page: Page) => page.evaluate(() => (globalThis as { attacked?: number }).attacked);
    await visit(
      "/about",
      async (page) => {
        await expect(insertMarkup(page, ATTACK)).rejects.toThrow(/TrustedHTML/);
        expect(await injectedMarkup(page)).toEqual(NONE);
        await page.goto("about:blank");
        await insertMarkup(page, ATTACK);
        await expect.poll(() => attacked(page)).toBe(1);
      },
      { expected: /Trusted|trusted-types|require-trusted/ },
    );
  });
});
