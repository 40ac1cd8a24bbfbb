/** Metadata of tables: sources, terms, dimensions, the contract, limits, and tables with the same key. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { asOwner, rowsOf, until } from "../apiClient.ts";
import { address, settled, shownNames, texts, useBrowser } from "./browser.ts";
import { expectedRows, shownRows } from "./table.ts";

const visit = useBrowser();

const CONTRACT = join(import.meta.dirname, "../../../contract/local");
const STABLE = "Part of the contract: names and types of columns do not change.";
const OPEN =
  "Not part of the contract of the default schema: columns may change, except in a version with its own contract.";

type Row = Record<string, unknown>;

const day = (value: unknown): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "Europe/Oslo" }).format(
    new Date(value as string | number),
  );

/** Returns the page's text about a source, from the API's response. */
function facts(source: Row): string[] {
  return [
    `Publisher ${String(source["publisher"])}`,
    `Licence ${String(source["licence"])}`,
    `Attribution ${String(source["attribution"])}`,
    `Freshness ${source["freshness"] === "fresh" ? "up to date" : "unknown"}`,
    `Ingested ${day(source["last_ingested_at"])}`,
    ...(source["next_expected_at"] === null ? [] : [`Next expected ${day(source["next_expected_at"])}`]),
    `Published ${String(source["periodicity"])}`,
    `Home page ${String(source["homepage"])}`,
  ];
}

describe("the page of a table", () => {
  test("shows every source with publisher, licence, attribution and freshness, the limits, and a citation", async () => {
    const sources = await rowsOf("GET /meta_sources?source_id=in.(brreg-enheter,ssb-klass-131)&order=source_id");
    expect(sources.map(({ freshness }) => freshness)).toEqual(["unknown", "fresh"]);
    await visit("/data/marts/dim_kommune", async (page) => {
      expect(await texts(page, ".facts > span")).toEqual([
        "Brønnøysund Register Centre, Statistics Norway",
        "NLOD 2.0, CC BY 4.0",
        "freshness unknown",
        "357 rows",
        "max 1,000 rows per response",
      ]);
      expect(await page.locator(".facts").isVisible()).toBe(true);
      const details = page.locator(".terms dl").first();
      expect(await details.isVisible()).toBe(false);
      await page.locator(".facts").click();
      expect(await details.isVisible()).toBe(true);
      expect(await page.locator(".totals").isVisible()).toBe(true);
      expect(await texts(page, ".terms dl > div")).toEqual(
        sources.flatMap((source) => [`Source ${String(source["title"])}`, ...facts(source)]),
      );
      const links = page.locator(".terms dl a");
      expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual(
        sources.flatMap((source) => [
          `/sources/${String(source["source_id"])}`,
          source["licence_url"],
          source["homepage"],
        ]),
      );
      const [limits = ""] = await texts(page, ".terms details > p");
      expect(limits).toMatch(
        /^Limits: At most 1,000 rows per response, 5 seconds per query, 50 requests a second and 6 at a time\. All limits · Retrieved /,
      );
      expect(await texts(page, "[aria-labelledby=cite] pre")).toEqual([
        "Source: Brønnøysund Register Centre; Source: Statistics Norway. Municipalities (marts.dim_kommune). " +
          `NLOD 2.0; CC BY 4.0. Read ${day(Date.now())} at ${inject("data").catalogUrl}/data/marts/dim_kommune`,
      ]);
    });
  });

  test("names each licence, and that a source states none", async () => {
    const sources = await rowsOf("GET /meta_sources?source_id=in.(brreg-enheter,ssb-klass-131)&order=source_id");
    const prepare = (page: Page): Promise<unknown> =>
      page.route(/\/meta_sources\?/, (route) =>
        route.fulfill({
          headers: { "Access-Control-Allow-Origin": "*" },
          json: sources.map((source, index) => (index === 0 ? { ...source, licence: null } : source)),
        }),
      );
    await visit(
      "/data/marts/dim_kommune",
      async (page) => {
        expect((await texts(page, ".facts > span"))[1]).toBe("no licence stated, CC BY 4.0");
        expect((await texts(page, "[aria-labelledby=cite] pre"))[0]).toContain(" no licence stated; CC BY 4.0. ");
      },
      { prepare },
    );
  });

  test("copies a citation of the filtered rows as text and as BibTeX", async () => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] };
    const path = "/data/marts/dim_fylke?where.fylke_nr=starts.3";
    const url = `${inject("data").catalogUrl}${path}`;
    // The browser is in Oslo; Swedish writes days as ISO 8601.
    const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Oslo" }).format();
    await visit(
      `${path}&size=25`,
      async (page) => {
        const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
        const line = `Source: Statistics Norway. Counties (marts.dim_fylke). CC BY 4.0. Read ${day(Date.now())} at ${url}`;
        await page.getByRole("button", { name: "Copy citation" }).click();
        await until(line, copied);
        expect(await page.getByText("Copied", { exact: true }).count()).toBe(1);
        await page.getByRole("button", { name: "BibTeX" }).click();
        await page.locator("[aria-labelledby=cite]").getByRole("button", { name: "Copy" }).click();
        const entry = [
          "@misc{marts.dim_fylke,",
          "  author = {{Statistics Norway}},",
          "  title = {{Counties}},",
          `  year = {${today.slice(0, 4)}},`,
          "  note = {Table marts.dim\\_fylke. CC BY 4.0},",
          `  url = {${url}},`,
          `  urldate = {${today}},`,
          "}",
        ];
        await until(entry, async () => (await copied()).trim().split("\n"));
      },
      { context },
    );
  });

  test("selects the citation where the browser does not allow to copy", async () => {
    const prepare = (page: Page): Promise<unknown> =>
      page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await visit(
      "/data/marts/dim_fylke",
      async (page) => {
        await page.getByRole("button", { name: "Copy citation" }).click();
        await page.getByText("The text is selected: copy it with Ctrl+C or ⌘C.").waitFor();
        expect(await page.evaluate(() => getSelection()?.toString())).toBe(
          await page.locator("[aria-labelledby=cite] pre").innerText(),
        );
      },
      { prepare },
    );
  });

  test("shows whether the table is open or stable, and when its schema is removed", async () => {
    // Midnight in UTC, when the schema is deprecated, is on the day before there.
    const context = { timezoneId: "America/New_York" };
    await visit("/data/api_v1/distrikt_summary", async (page) => {
      expect(await texts(page, "h1")).toEqual(["Municipalities by county stable"]);
      expect(await page.getByText(STABLE).count()).toBe(1);
      expect(await page.locator(".deprecated").count()).toBe(0);
    });
    await visit(
      "/data/raw/ssb_kommuner",
      async (page) => {
        expect(await texts(page, "h1")).toEqual(["Municipalities as received open"]);
        expect(await page.getByText(OPEN).count()).toBe(1);
        expect(await texts(page, ".deprecated")).toEqual([
          "This version of the API is deprecated and will be removed. Deprecated since January 1, 2026. It is available until January 1, 2027. What to do",
        ]);
        const link = page.getByRole("link", { name: "What to do" });
        expect(await link.getAttribute("href")).toBe("https://data.example.org/versions");
      },
      { context },
    );
  });

  test("links keys to other tables with the same key and value", async () => {
    const tablesWith = (column: string): Promise<Row[]> =>
      rowsOf(
        `GET /meta_endpoints?select=schema,relation&order=schema,relation&%22columns%22=cs.${encodeURIComponent(JSON.stringify([{ name: column }]))}`,
      );
    await visit("/data/marts/dim_enhet?where.kommune_nr=eq.1103", async (page) => {
      const [[orgnr = "", , kommune = ""] = []] = await shownRows(page);
      for (const [column, value] of [
        ["kommune_nr", kommune],
        ["orgnr", orgnr],
      ] as const) {
        await page.getByRole("link", { name: value, exact: true }).click();
        await page
          .getByRole("heading", { name: `Tables with the column ${column} (links filter by ${value})` })
          .waitFor();
        await settled(page);
        const expected = (await tablesWith(column)).map((row) => `${String(row["schema"])}.${String(row["relation"])}`);
        expect(expected.length).toBeGreaterThan(1);
        expect(await shownNames(page)).toEqual(expected);
        expect(address(page)).toBe(`/data column=${column} value=${value}`);
        await page.goBack();
        await settled(page);
      }
      await page.getByRole("link", { name: kommune, exact: true }).click();
      await page.getByRole("link", { name: "fact_observation" }).click();
      await until(2, async () => (await shownRows(page)).length);
      expect(address(page)).toBe("/data/marts/fact_observation where.kommune_nr=eq.1103");
      await page.getByRole("link", { name: "Other tables with kommune_nr" }).click();
      await page.getByRole("heading", { name: "Tables with the column kommune_nr (links filter by 1103)" }).waitFor();
    });
  });
});

test("links an integer to the same number of an area as text", async () => {
  await asOwner(
    "create table marts.fact_stop (kommune_nr integer primary key)",
    "insert into marts.fact_stop values (301)",
  );
  try {
    await until([["301"]], () => expectedRows("fact_stop?kommune_nr=eq.0301").catch(() => []));
    await visit("/data/marts/fact_stop", async (page) => {
      await page.getByRole("link", { name: "301", exact: true }).click();
      await page.getByRole("heading", { name: "Tables with the column kommune_nr (links filter by 0301)" }).waitFor();
      await page.getByRole("link", { name: "Municipalities", exact: true }).click();
      await until("Oslo", async () => (await shownRows(page))[0]?.[1]);
      expect(address(page)).toBe("/data/marts/dim_kommune where.kommune_nr=eq.0301");
      await page.goBack();
      await page.getByRole("link", { name: "fact_stop" }).click();
      await until([["301"]], () => shownRows(page));
    });
  } finally {
    await asOwner("drop table if exists marts.fact_stop");
  }
});

test("shows terms, tables and dimensions with their columns on the page of a source", async () => {
  const [source] = await rowsOf("GET /meta_sources?source_id=eq.ssb-klass-131");
  const dimensions = await rowsOf("GET /meta_dimensions?source_id=eq.ssb-klass-131&order=dimension");
  await visit("/data/marts/dim_fylke", async (page) => {
    await page.locator(".facts").click();
    await page.getByRole("link", { name: String(source?.["title"]) }).click();
    await page.getByRole("heading", { name: "Dimensions" }).waitFor();
    await settled(page);
    expect(address(page)).toBe("/sources/ssb-klass-131");
    expect(await texts(page, "h1")).toEqual([source?.["title"]]);
    expect(await texts(page, ".terms dl > div")).toEqual(facts(source ?? {}));
    expect(await texts(page, "[aria-labelledby=tables] li")).toEqual(source?.["endpoints"]);
    const rows = Number(source?.["row_estimate"]).toLocaleString("en");
    expect(await page.getByText(`Rows in all tables: about ${rows} rows`).count()).toBe(1);
    expect(await texts(page, "[aria-labelledby=dimensions] tbody tr")).toEqual(
      dimensions.map(({ title, dimension, description, schema, relation, column_name, editorial }) =>
        [title, dimension, description, [schema, relation, column_name].join("."), JSON.stringify(editorial)].join(" "),
      ),
    );
    await page.getByRole("link", { name: "marts.dim_kommune.kommune_nr" }).click();
    await until(await expectedRows("dim_kommune?order=kommune_nr&limit=100"), () => shownRows(page));
  });
});

test("shows each relation of the deployed contract and its changelog on the contract page", async () => {
  const { relations } = JSON.parse(readFileSync(join(CONTRACT, "api_v1.json"), "utf8")) as {
    relations: Record<string, Record<string, string>>;
  };
  const changelog = readFileSync(join(CONTRACT, "CHANGELOG.md"), "utf8").split("\n");
  await visit("/contract", async (page) => {
    expect(await texts(page, "h1")).toEqual(["Contract and changelog"]);
    expect(await texts(page, "section:not([aria-labelledby]) h2")).toEqual(Object.keys(relations));
    expect(await texts(page, ".reference tbody tr")).toEqual(
      Object.values(relations).flatMap((columns) => Object.entries(columns).map((pair) => pair.join(" "))),
    );
    expect(await texts(page, "[aria-labelledby=changelog] > :not(h2)")).toEqual(
      changelog
        .slice(1)
        .filter(Boolean)
        .map((line) => line.replace(/^(#+|-) /, "")),
    );
  });
});

test("shows the limits of the API, how to cite, and what is stable on the page of limits", async () => {
  await visit("/about", async (page) => {
    expect(await texts(page, "[aria-labelledby=stability] p")).toEqual([`stable ${STABLE}`, `open ${OPEN}`]);
    expect(inject("data").plan.limits).toMatchObject({
      maxRows: 1000,
      exactCountRows: 1_000_000,
      statementTimeout: 5_000,
      maxAge: 60,
      requestsPerSecond: 50,
      burst: 100,
      inFlight: 6,
    });
    expect(await texts(page, "[aria-labelledby=limits] li")).toEqual([
      "One response contains at most 1,000 rows (header X-Max-Rows). Content-Range shows whether there are more.",
      "Tables of more than 1,000,000 rows are not counted exactly; use Prefer: count=estimated.",
      "A query that takes longer than 5 seconds is stopped.",
      "Each client address may send 50 requests a second on average and 100 in a burst, with at most 6 concurrent requests. " +
        "Further requests get status 429; the header Retry-After states when to retry.",
      "Responses can be cached for 60 seconds, and revalidated with If-None-Match.",
      "The data can be read, not changed: GET, HEAD and OPTIONS only.",
    ]);
    expect(await page.locator("blockquote").innerText()).toContain(
      `at ${inject("data").catalogUrl}/data/marts/fact_folketall`,
    );
    const link = page.getByRole("link", { name: /openapi\.json$/ });
    expect(await link.getAttribute("href")).toBe(`${inject("data").url}/openapi.json`);
  });
});
