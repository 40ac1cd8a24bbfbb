/** `/data`: the list of all tables, filtered by tags and words, with its state in the address. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { SCHEMAS } from "../relations.ts";
import { rowsOf, sendRequest, until } from "../apiClient.ts";
import { address, settled, shownNames, texts, useBrowser } from "./browser.ts";

const visit = useBrowser();

interface Endpoint {
  readonly schema: string;
  readonly relation: string;
  readonly type: string;
  readonly kind: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly tags: string[];
  readonly row_estimate: number | null;
  readonly source_ids: string[];
  readonly stability: string;
}

/** Returns the API's rows in the order of the page. */
async function endpoints(filter = ""): Promise<Endpoint[]> {
  return (await rowsOf(`GET /meta_endpoints?order=schema,relation${filter}`)) as unknown as Endpoint[];
}

/** Returns the tables that the API finds for tags: one condition for each namespace, which any of its tags matches. */
async function matching(tags: readonly string[]): Promise<string[]> {
  const groups = Map.groupBy(tags, (tag) => tag.split(":")[0]);
  return (await endpoints([...groups.values()].map((group) => `&tags=ov.{${group.join(",")}}`).join(""))).map(nameOf);
}

const nameOf = ({ schema, relation }: Endpoint): string => `${schema}.${relation}`;
const shownCounts = async (page: Page): Promise<Record<string, number>> =>
  Object.fromEntries(
    await page
      .locator(".filter label")
      .evaluateAll((labels) =>
        labels.map((label): [string, number] => [
          label.querySelector("input")?.value ?? "",
          Number(label.querySelector(".count")?.textContent),
        ]),
      ),
  );

/** A number of rows that is counted when its card is scrolled into view. */
const withoutCounts = (text: string | null): string =>
  (text ?? "").replaceAll(/rows not counted|\d[\d,]* rows?/g, "N rows");

describe("the list", () => {
  test.each(["constructor", "__proto__", "valueOf"])("shows a tag of the unknown namespace %s", async (namespace) => {
    await visit(`/data?tag=${namespace}:x`, async (page) => {
      await page.getByText("No table matches.").waitFor();
      expect(await page.getByText(namespace, { exact: true }).count()).toBe(1);
    });
  });

  test("shows every table of the API as a card with its metadata, grouped by schema and counted", async () => {
    const all = await endpoints();
    const sources = await rowsOf("GET /meta_sources?order=source_id");
    const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "Europe/Oslo" });
    const age = (ids: readonly string[]): string => {
      const own = sources.filter(({ source_id }) => ids.includes(String(source_id)));
      if (own.length === 0) return "  ";
      const freshness = own.every((source) => source["freshness"] === "fresh") ? "up to date" : "freshness unknown";
      return ` ${freshness} Ingested ${day.format(new Date(String(own[0]?.["last_ingested_at"])))}`;
    };
    await visit("/data", async (page) => {
      expect(await texts(page, "main [role=status]")).toEqual([`${all.length} of ${all.length} tables`]);
      const stability = { api_v1: "stable", marts: "open", raw: "open" } as Record<string, string>;
      const sizes = SCHEMAS.map((schema) => all.filter((endpoint) => endpoint.schema === schema).length);
      expect(await texts(page, "section h2")).toEqual(
        SCHEMAS.map((schema, index) => `${schema} ${sizes[index]} ${stability[schema]}`),
      );
      expect(await texts(page, "section > p")).toEqual([
        "Curated views, the stable contract",
        "Open layer, may change",
        "Open layer, may change",
      ]);
      const shown = await page.locator(".endpoint").evaluateAll((items) => items.map((item) => item.textContent));
      expect(shown.map(withoutCounts)).toEqual(
        all.map(({ title, kind, row_estimate, description, tags, source_ids, ...endpoint }) =>
          [
            title ?? endpoint.relation,
            `${endpoint.schema}.${endpoint.relation}`,
            kind ? ` · ${kind}` : "",
            description ?? "",
            row_estimate === null ? "N rows" : `${endpoint.type === "view" ? "from a table of " : ""}about N rows`,
            age(source_ids),
            ...tags,
          ].join(""),
        ),
      );
      // The cards of a schema are next to each other.
      const tops = await page
        .locator(".endpoint")
        .evaluateAll((cards) => cards.slice(0, 3).map((card) => card.getBoundingClientRect().top));
      expect(new Set(tops).size).toBe(1);
      for (const { schema, stability: actual } of all) expect(actual).toBe(stability[schema]);
    });
  });

  test("shows the estimated number of rows, and counts them where there is no estimate, once they are in view", async () => {
    const all = await endpoints();
    const estimated = all.find(({ type, row_estimate }) => type === "table" && row_estimate !== null);
    const last = all.findLast(({ row_estimate }) => row_estimate === null);
    if (!estimated || !last) throw new Error("the list has no relation with, or without, an estimate");
    const headers = { "Accept-Profile": last.schema, Prefer: "count=exact" };
    const counted = (await sendRequest(`GET /${last.relation}?limit=0`, { headers })).headers["content-range"];
    await visit(
      "/data",
      async (page) => {
        const rows = (endpoint: Endpoint) =>
          page
            .locator(".endpoint", { hasText: nameOf(endpoint) })
            .locator(".measures > span")
            .first();
        expect(await rows(estimated).textContent()).toBe(`about ${estimated.row_estimate?.toLocaleString("en")} rows`);
        expect(await rows(last).textContent()).toBe("rows not counted");
        await rows(last).scrollIntoViewIfNeeded();
        const total = Number(String(counted).split("/")[1]);
        await until(`${total.toLocaleString("en")} ${total === 1 ? "row" : "rows"}`, () => rows(last).textContent());
      },
      { context: { viewport: { width: 1000, height: 300 } } },
    );
  });

  test("shows for each tag the number of tables with it, and updates them after each choice", async () => {
    const all = await endpoints();
    const tags = [...new Set(all.flatMap((endpoint) => endpoint.tags))];
    const namespace = (tag: string): string | undefined => tag.split(":")[0];
    const expected = async (chosen: string[]): Promise<Record<string, number>> => {
      const counts = tags.map(async (tag) => {
        const others = chosen.filter((other) => namespace(other) !== namespace(tag));
        return [tag, (await matching([...others, tag])).length] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    };
    await visit("/data", async (page) => {
      const chosen: string[] = [];
      expect(await shownCounts(page)).toEqual(await expected([]));
      for (const tag of ["layer:marts", "provider:ssb", "provider:brreg", "cadence:daily"]) {
        await page.locator(`input[value="${tag}"]`).check();
        chosen.push(tag);
        await until(await matching(chosen), () => shownNames(page));
        expect(await shownCounts(page)).toEqual(await expected(chosen));
        expect(address(page)).toBe(["/data", ...chosen.map((each) => `tag=${each}`)].join(" "));
      }
      expect(await shownNames(page)).toEqual(["marts.dim_enhet"]);
      expect(await texts(page, "main [role=status]")).toEqual([`1 of ${all.length} tables`]);
    });
  });

  test("shows the tables that the API finds for the tags in the address", async () => {
    const sets = [
      ["topic:legal-entities", "topic:administrative-divisions"],
      ["layer:marts", "layer:raw", "provider:ssb"],
      ["cadence:yearly", "provider:brreg"],
      ["cadence:daily", "cadence:yearly", "layer:api_v1"],
      ["layer:marts", "topic:not-there"],
    ];
    await visit("/about", async (page) => {
      for (const tags of sets) {
        const query = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join("&");
        await page.goto(new URL(`/data?${query}`, page.url()).href);
        await settled(page);
        const found = await matching(tags);
        expect([tags, await shownNames(page)]).toEqual([tags, found]);
        const boxes = page.locator(".filter input:checked");
        expect((await boxes.evaluateAll((all) => all.map((box) => box.getAttribute("value")))).sort()).toEqual(
          tags.toSorted(),
        );
        expect(await page.getByText("No table matches.").count()).toBe(found.length === 0 ? 1 : 0);
      }
    });
  });

  test("finds names, titles and tags by words", async () => {
    await visit("/data", async (page) => {
      const find = async (text: string, names: readonly string[]): Promise<void> => {
        await page.getByRole("searchbox").fill(text);
        await until(names, () => shownNames(page));
        expect(address(page)).toBe(`/data q=${text}`);
      };
      await find("KOMMUNE", ["marts.dim_kommune", "raw.ssb_kommuner"]);
      await find("legal entities", ["marts.dim_enhet"]);
      await find("yearly counties", ["marts.dim_fylke"]);
      await find("<b>nothing", []);
      await find("api_v1.meta", ["api_v1.meta_dimensions", "api_v1.meta_endpoints", "api_v1.meta_sources"]);
    });
  });

  test("filters by words and tags together, each of which can be removed", async () => {
    await visit("/data?tag=layer:marts&tag=provider:ssb&q=2024&q=ignored", async (page) => {
      expect(await shownNames(page)).toEqual([]);
      await page.getByRole("searchbox").fill("fylke");
      await until(["marts.dim_fylke"], () => shownNames(page));
      await page.getByRole("button", { name: "Remove fylke" }).click();
      await until(["marts.dim_fylke", "marts.dim_kommune"], () => shownNames(page));
      await page.getByRole("button", { name: "Remove provider:ssb" }).click();
      await until(await matching(["layer:marts"]), () => shownNames(page));
      await page.getByRole("button", { name: "Remove all filters" }).click();
      await until(await matching([]), () => shownNames(page));
      expect(address(page)).toBe("/data");
    });
  });
});

describe("the address", () => {
  test("restores each state with back and forward, also from the page of a table", async () => {
    await visit("/data", async (page) => {
      const states = [await shownNames(page)];
      for (const tag of ["layer:marts", "provider:brreg"]) {
        await page.locator(`input[value="${tag}"]`).check();
        await until(await matching([tag, ...(states.length > 1 ? ["layer:marts"] : [])]), () => shownNames(page));
        states.push(await shownNames(page));
      }
      await page.getByRole("searchbox").fill("legal");
      await until(["marts.dim_enhet"], () => shownNames(page));
      await page.getByRole("link", { name: "Legal entities" }).click();
      await page.getByRole("heading", { name: "Legal entities" }).waitFor();
      await page.goBack();
      await until(["marts.dim_enhet"], () => shownNames(page));
      await until("legal", () => page.getByRole("searchbox").inputValue());
      await page.goBack();
      await until(states[1], () => shownNames(page));
      await until("", () => page.getByRole("searchbox").inputValue());
      await page.goBack();
      await until(states[0], () => shownNames(page));
      await page.goForward();
      await until(states[1], () => shownNames(page));
      expect(await page.locator(".filter input:checked").count()).toBe(1);
    });
  });

  test("opens with the same state in another browser", async () => {
    const shared = await visit("/data", async (page) => {
      await page.locator('input[value="layer:marts"]').check();
      await page.locator('input[value="provider:brreg"]').check();
      await page.getByRole("searchbox").fill("kommune");
      await until(["marts.dim_kommune"], () => shownNames(page));
      return {
        url: new URL(page.url()),
        text: withoutCounts(await page.locator("main").textContent()),
        counts: await shownCounts(page),
      };
    });
    await visit(shared.url.pathname + shared.url.search, async (page) => {
      // Not the inner text, which lacks elements that the browser has not laid out yet.
      await until(shared.text, async () => withoutCounts(await page.locator("main").textContent()));
      expect(await shownCounts(page)).toEqual(shared.counts);
      expect(await page.getByRole("searchbox").inputValue()).toBe("kommune");
    });
  });

  test("redirects / to the list, and shows that the page of an unknown address does not exist", async () => {
    await visit("/", (page) => Promise.resolve(expect(address(page)).toBe("/data")));
    for (const path of ["/data/marts", "/data/private_marts/person", "/sources/nothing"]) {
      await visit(path, async (page) => {
        expect(await texts(page, "h1")).toEqual(["This page does not exist"]);
        await page.locator("main").getByRole("link", { name: "All data" }).click();
        await until("/data", () => Promise.resolve(address(page)));
      });
    }
  });
});
