/** `/data/<schema>/<table>`: the rows of a table with sorting, filters, columns and pages. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { asOwner, sendRequest, rowsOf, until } from "../apiClient.ts";
import { address, settled, texts, useBrowser } from "./browser.ts";
import { expectedRows, ROWS, shownColumns, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();

const OBSERVATION = "/data/marts/fact_observation";
/** All columns are in sight without the chart next to them. */
const WIDE = `${OBSERVATION}?chart=none`;
const KOMMUNE = "/data/marts/dim_kommune";
/** The API's response after the last row, which the browser reports as an error. */
const PAST = { expected: /status of 416/ };
const COMPLETE = "You see all rows that match.";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly description: string | null;
  readonly key: boolean;
}

async function columnsOf(relation: string): Promise<Column[]> {
  const [row] = await rowsOf(`GET /meta_endpoints?schema=eq.marts&relation=eq.${relation}&select=columns`);
  return row?.["columns"] as Column[];
}

async function addFilter(page: Page, column: string, condition: string, value?: string): Promise<void> {
  await page.getByRole("button", { name: `Filter by ${column}`, exact: true }).click();
  await page.getByLabel("Condition").selectOption({ label: condition });
  if (value !== undefined) await page.getByLabel("Value", { exact: true }).fill(value);
  await page.getByRole("button", { name: "Apply" }).click();
}

describe("the table", () => {
  test("shows the API's columns with type and description, and every value", async () => {
    const columns = await columnsOf("fact_observation");
    await visit(WIDE, async (page) => {
      expect(await texts(page, "h1")).toEqual(["fact_observation open"]);
      expect(await page.getByText("Invented observations").count()).toBe(1);
      expect(await texts(page, `${ROWS} thead th:not(.row-number)`)).toEqual(
        columns.map(({ name, type, key, description }) =>
          [`${name} ↕ ▽ ${type}`, key ? " · Key" : "", description === null ? "" : ` ${description}`].join(""),
        ),
      );
      expect(await texts(page, ".reference tbody tr")).toEqual(
        columns.map(({ name, type, nullable, description, key }) =>
          [
            name + (key ? "Key" : ""),
            type,
            nullable ? "yes" : "no",
            (description ?? "No description.") + (name === "kommune_nr" ? " Other tables with kommune_nr" : ""),
          ].join(" "),
        ),
      );
      const rows = await expectedRows("fact_observation?order=id");
      // Numbers that JavaScript would round are shown as in the API's response.
      expect(rows[3]?.[3]).toBe("1e+21");
      const exact = rows.map((row) => row.map((cell) => (cell === "1e+21" ? "1000000000000000000000" : cell)));
      expect(await shownRows(page)).toEqual(exact);
      expect(await shownTotals(page)).toBe(`Rows 1–6 of 6 (counted exactly) ${COMPLETE}`);
    });
  });

  test("sorts a column ascending, descending and not", async () => {
    await visit(OBSERVATION, async (page) => {
      const ids = async (): Promise<unknown[]> => (await shownRows(page)).map(([id]) => id);
      const sort = page.getByRole("button", { name: /^Sort by amount/ });
      const header = page.locator(`${ROWS} th[aria-sort]:has(button[aria-label^="Sort by amount"])`);
      for (const [direction, order, query] of [
        ["ascending", "amount.asc,id", " sort=amount.asc"],
        ["descending", "amount.desc.nullslast,id", " sort=amount.desc"],
        ["none", "id", ""],
      ] as const) {
        await sort.click();
        const expected = (await expectedRows(`fact_observation?select=id&order=${order}`)).flat();
        await until(expected, ids);
        expect(await header.getAttribute("aria-sort")).toBe(direction);
        expect(address(page)).toBe(OBSERVATION + query);
      }
    });
  });

  test("filters each column with the conditions of its type", async () => {
    const cases = [
      ["label", "contains", "SEA", "label=ilike.*sea*", "where.label=contains.SEA"],
      ["label", "contains", "100% sure,", "id=eq.4", "where.label=contains.100% sure,"],
      ["label", "does not equal", "%41+&=#", "id=gt.0", "where.label=neq.%41+&=#"],
      ["label", "begins with", "gr", "label=ilike.gr*", "where.label=starts.gr"],
      ["label", "equals", '100% sure, "maybe" (not)', "id=eq.4", 'where.label=eq.100% sure, "maybe" (not)'],
      ["label", "has no value (null)", undefined, "label=is.null", "where.label=empty."],
      ["amount", "is at least", "1.5", "amount=gte.1.5", "where.amount=gte.1.5"],
      ["amount", "is less than", "0", "amount=lt.0", "where.amount=lt.0"],
      ["taken", "is greater than", "2024-02-01", "taken=gt.2024-02-01", "where.taken=gt.2024-02-01"],
      ["active", "does not equal", "true", "active=isdistinct.true", "where.active=neq.true"],
      ["tags", "has the element", "two words", 'tags=cs.{"two words"}', "where.tags=has.two words"],
      ["doc", "has a value", undefined, "doc=not.is.null", "where.doc=filled."],
      ["odd name, æ", "equals", "a,b", '"odd name, æ"=eq.a,b', "where.odd name, æ=eq.a,b"],
    ] as const;
    await visit(WIDE, async (page) => {
      const ids = async (): Promise<unknown[]> => (await shownRows(page)).map(([id]) => id);
      for (const [column, condition, value, question, state] of cases) {
        const expected = (await expectedRows(`fact_observation?select=id&order=id&${encodeURI(question)}`)).flat();
        expect(expected.length).toBeGreaterThan(0);
        await addFilter(page, column, condition, value);
        await until(expected, ids);
        const count = expected.length;
        // One condition matches every row, so that the rows do not change.
        await until(`Rows 1–${count} of ${count} (counted exactly) ${COMPLETE}`, () => shownTotals(page));
        expect(address(page)).toBe(`${OBSERVATION} ${state} chart=none`);
        const quoted = value === undefined ? "" : ` “${value}”`;
        expect(await texts(page, ".chip")).toEqual([`${column} ${condition}${quoted} ×`]);
        await page.getByRole("button", { name: "Remove all filters" }).click();
        await until(6, async () => (await ids()).length);
      }
    });
  });

  test("combines filters, each of which can be removed, and shows a message without a match", async () => {
    await visit(KOMMUNE, async (page) => {
      await addFilter(page, "fylke_nr", "equals", "11");
      await until(
        (await expectedRows("dim_kommune?fylke_nr=eq.11&order=kommune_nr")).length,
        async () => (await shownRows(page)).length,
      );
      await addFilter(page, "kommune_navn", "begins with", "S");
      const both = await expectedRows("dim_kommune?fylke_nr=eq.11&kommune_navn=like.S*&order=kommune_nr");
      await until(both, () => shownRows(page));
      await addFilter(page, "kommune_navn", "contains", "nothing has this");
      await page.getByText("No row matches the filters.").waitFor();
      await page.getByRole("button", { name: "Remove kommune_navn contains" }).click();
      await until(both, () => shownRows(page));
      await page.goBack();
      await page.getByText("No row matches the filters.").waitFor();
      await page.goForward();
      await until(both, () => shownRows(page));
    });
  });

  test("requests and shows the chosen columns only", async () => {
    await visit(KOMMUNE, async (page) => {
      const queries: string[] = [];
      page.on("request", (request) => queries.push(new URL(request.url()).search));
      await page.getByText("Columns (4 of 4)").click();
      for (const name of ["orgnr", "fylke_nr"]) await page.getByRole("checkbox", { name }).uncheck();
      await until(["kommune_nr", "kommune_navn"], () => shownColumns(page));
      await settled(page);
      const rows = await rowsOf("GET /dim_kommune?select=kommune_nr,kommune_navn&order=kommune_nr&limit=100", {
        headers: { "Accept-Profile": "marts" },
      });
      expect(await shownRows(page)).toEqual(rows.map((row) => Object.values(row)));
      expect(address(page)).toBe(`${KOMMUNE} col=kommune_nr col=kommune_navn`);
      expect(queries.at(-1)).toBe("?select=kommune_nr,kommune_navn&order=kommune_nr&limit=100");
      await page.getByRole("checkbox", { name: "kommune_nr" }).uncheck();
      await until(["kommune_navn"], () => shownColumns(page));
      // The last column cannot be hidden.
      expect(await page.getByRole("checkbox", { name: "kommune_navn" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "All columns" }).click();
      await until(4, async () => (await shownColumns(page)).length);
    });
  });

  test("shows all values of a row in a dialog", async () => {
    await visit(OBSERVATION, async (page) => {
      await page.getByRole("button", { name: "Row 2" }).click();
      const dialog = page.getByRole("dialog", { name: "Row 2" });
      await dialog.waitFor();
      expect(await dialog.locator("dd").allInnerTexts()).toEqual((await expectedRows("fact_observation?id=eq.2"))[0]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });
  });

  test("opens no dialog of a row after Back", async () => {
    await visit(KOMMUNE, async (page) => {
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await page.getByRole("button", { name: "Row 102", exact: true }).click();
      await page.getByRole("dialog", { name: "Row 102" }).waitFor();
      await page.goBack();
      await page.getByRole("button", { name: "Row 2", exact: true }).waitFor();
      await until(0, () => page.getByRole("dialog").count());
    });
  });

  test("begins a condition on a column again", async () => {
    await visit(WIDE, async (page) => {
      const filter = page.getByRole("button", { name: "Filter by amount" });
      const column = page.locator("form.condition select").first();
      await filter.click();
      await column.selectOption("label");
      await filter.click();
      await until("amount", () => column.inputValue());
      await until("Value", () =>
        page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.innerText.trim()),
      );
    });
  });

  test("states that an old browser rounds numbers", async () => {
    const prepare = (page: Page): Promise<unknown> => page.addInitScript(() => Reflect.deleteProperty(JSON, "rawJSON"));
    await visit(WIDE, async (page) => expect(await shownTotals(page)).toContain("This browser rounds numbers"), {
      prepare,
    });
  });

  test("has numbers inside of documents as they are, and no sorting by a column that has no order", async () => {
    await asOwner(
      "create table marts.fact_document (id integer primary key, doc json)",
      `insert into marts.fact_document values (1, '{"v":1.50,"w":[9007199254740993]}')`,
    );
    const headers = { "Accept-Profile": "marts" };
    await until(200, async () => (await sendRequest("GET /fact_document?limit=0", { headers })).status);
    try {
      await visit("/data/marts/fact_document", async (page) => {
        expect(await shownRows(page)).toEqual([["1", '{"v":1.50,"w":[9007199254740993]}']]);
        const header = page.locator(`${ROWS} thead th`).last();
        expect(await header.innerText()).toContain("doc");
        expect(await header.getAttribute("aria-sort")).toBeNull();
        expect(await page.getByRole("button", { name: "Sort by doc" }).count()).toBe(0);
      });
    } finally {
      await asOwner("drop table marts.fact_document");
    }
  });
});

describe("pages", () => {
  test("can be opened from first to last, with the API's totals", async () => {
    const { headers } = await sendRequest("HEAD /ref_number", {
      headers: { "Accept-Profile": "marts", Prefer: "count=exact" },
    });
    expect(headers["content-range"]).toBe("0-999/1500");
    await visit("/data/marts/ref_number", async (page) => {
      const part = (from: number, to: number, shown = to - from + 1): string =>
        `Rows ${from.toLocaleString("en")}–${to.toLocaleString("en")} of 1,500 (counted exactly) ` +
        `You see ${shown} rows, not all. One response of the data service contains at most 1,000 rows.`;
      const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
      const at = async (text: string, label: string): Promise<void> => {
        await until(text, () => shownTotals(page));
        await settled(page);
        expect(await texts(page, "nav.paging > span")).toEqual([label]);
      };
      await at(part(1, 100), "Page 1 of 15");
      expect(await page.getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
      await press("Next");
      await at(part(101, 200), "Page 2 of 15");
      expect((await shownRows(page)).flat()).toEqual(
        (await expectedRows("ref_number?order=number&offset=100&limit=100")).flat(),
      );
      expect(await texts(page, `${ROWS} tbody th`)).toEqual(
        Array.from({ length: 100 }, (_, index) => `${index + 101}`),
      );
      await press("Last");
      await at(part(1401, 1500), "Page 15 of 15");
      expect(await page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
      await press("Previous");
      await at(part(1301, 1400), "Page 14 of 15");
      await page.getByLabel("Rows per page").selectOption("500");
      await at(part(1, 500), "Page 1 of 3");
      await press("Last");
      await at(part(1001, 1500), "Page 3 of 3");
      expect(address(page)).toBe("/data/marts/ref_number page=3 size=500");
      await page.reload();
      await at(part(1001, 1500), "Page 3 of 3");
    });
  });

  test("show a message and a button to the first page after the last row", async () => {
    await visit(
      "/data/marts/ref_number?page=99",
      async (page) => {
        expect(await shownTotals(page)).toBe("There is no page 99: it is after the last row.");
        await page.getByRole("button", { name: "First" }).click();
        await until(100, async () => (await shownRows(page)).length);
      },
      PAST,
    );
  });

  test("show an estimated count of more than a million rows", async () => {
    await visit("/data/raw/readings", async (page) => {
      expect(await shownTotals(page)).toMatch(
        /^Rows 1–100 of about 1,0\d\d,\d{3} \(an estimate, not counted\) You see 100 rows, not all\./,
      );
      expect(await page.getByRole("button", { name: "Last" }).count()).toBe(0);
    });
  });
});
