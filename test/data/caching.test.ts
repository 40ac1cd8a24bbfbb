/** ETags and the cache lifetime of responses. */
import { describe, expect, test, vi } from "vitest";
import { ALWAYS, CACHED } from "./expectedResponses.ts";
import { type RequestOptions, sendRequest, asOwner, responseTo, until } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };
const TARGET = "/fact_observation?order=id&select=id,label";

const tagOf = async (line = `GET ${TARGET}`, options: RequestOptions = { headers: marts }): Promise<string> =>
  String((await sendRequest(line, options)).headers["etag"]);

/** Runs `work` with the ETag until it passes: Postgres reports the writes of a session up to 10 s later (infra/data/sql/010_pre_request.sql), which changes all tags. */
function withTag<T>(work: (tag: string) => Promise<T>): Promise<T> {
  return vi.waitFor(async () => work(await tagOf()), { timeout: 240_000, interval: 50 });
}

const unchanged = { status: 304, headers: { ...ALWAYS, ...CACHED }, body: "" };

describe("If-None-Match", () => {
  test.each([
    ["the tag", (own: string) => own],
    ["the tag as a strong one", (own: string) => own.replace("W/", "")],
    ["a list with it", (own: string) => `"other", ${own}, W/"third"`],
    ["a list without blanks", (own: string) => `"other",${own}`],
    ["a star", () => "*"],
  ])("returns 304 without a body for GET and HEAD with %s", async (_, known) => {
    await withTag(async (tag) => {
      for (const method of ["GET", "HEAD"]) {
        const response = await responseTo(`${method} ${TARGET}`, {
          headers: { ...marts, "If-None-Match": known(tag) },
        });
        expect([method, response]).toEqual([method, unchanged]);
      }
    });
  });

  test.each([
    ["another tag", () => '"0123456789abcdef0123456789abcdef"'],
    ["a part of the tag", (own: string) => own.slice(0, -2)],
    ["the tag without quotes", (own: string) => own.replaceAll(/W\/|"/g, "")],
    ["nothing", () => ""],
  ])("returns the rows with %s", async (_, known) => {
    await withTag(async (tag) => {
      const response = await sendRequest(`GET ${TARGET}`, { headers: { ...marts, "If-None-Match": known(tag) } });
      expect([response.status, response.headers["etag"]]).toEqual([200, tag]);
      expect((JSON.parse(response.body) as unknown[]).length).toBe(6);
    });
  });

  test.each([
    ["/nothing", marts, 404],
    ["/fact_observation", {}, 404],
    ["/fact_observation", { "Accept-Profile": "private_marts" }, 404],
    ["/secret_person", marts, 404],
  ])("returns 404 with a star or a tag for what is not served: %s %j", async (path, headers, status) => {
    for (const known of ["*", await tagOf()]) {
      expect((await sendRequest(`GET ${path}`, { headers: { ...headers, "If-None-Match": known } })).status).toBe(
        status,
      );
    }
  });
});

describe("the ETag", () => {
  test("is the same for the same request", async () => {
    await withTag(async (tag) => {
      expect(await tagOf()).toBe(tag);
      expect(await tagOf(`HEAD ${TARGET}`)).toBe(tag);
    });
  });

  test("differs for each format, count, range and schema", async () => {
    const forms: Record<string, string>[] = [
      marts,
      { ...marts, Accept: "text/csv" },
      { ...marts, Prefer: "count=exact" },
      { ...marts, Prefer: "count=planned" },
      { ...marts, Range: "0-1" },
      { ...marts, Range: "1-2" },
    ];
    const tags = await Promise.all(forms.map((headers) => tagOf(`GET ${TARGET}`, { headers })));
    expect(new Set(tags).size).toBe(forms.length);
    const roots = ["api_v1", "marts", "raw"].map((schema) => ({ "Accept-Profile": schema }));
    const described = await Promise.all(roots.map((headers) => tagOf("GET /shared?limit=1", { headers })));
    expect(new Set(described).size).toBe(roots.length);
  });

  test("changes after a write, and the old one no longer results in a 304", async () => {
    const statusWith = async (tag: string) =>
      (await sendRequest(`GET ${TARGET}`, { headers: { ...marts, "If-None-Match": tag } })).status;
    const known = await withTag(async (tag) => {
      expect(await statusWith(tag)).toBe(304);
      return tag;
    });
    try {
      await asOwner("update marts.fact_observation set label = 'Grey Heron' where id = 1");
      await until(200, () => statusWith(known));
      const { headers, body } = await sendRequest(`GET ${TARGET}`, { headers: marts });
      expect(headers["etag"]).not.toBe(known);
      expect((JSON.parse(body) as { label: string }[])[0]?.label).toBe("Grey Heron");
    } finally {
      await asOwner("update marts.fact_observation set label = 'Grey heron' where id = 1");
    }
    expect(await tagOf()).not.toBe(known);
  });

  test("is on every successful response, and on no error", async () => {
    for (const line of ["GET /dim_fylke", "HEAD /dim_fylke?limit=0", "GET /dim_fylke?fylke_nr=eq.none"]) {
      const { status, headers } = await responseTo(line, { headers: marts });
      expect([status, headers]).toMatchObject([200, CACHED]);
    }
    for (const line of ["GET /nothing", "GET /dim_fylke?nope=eq.1", "GET /dim_fylke?limit=-1"]) {
      const { headers } = await responseTo(line, { headers: marts });
      expect([headers["etag"], headers["cache-control"] === CACHED["cache-control"]]).toEqual([undefined, false]);
    }
  });
});
