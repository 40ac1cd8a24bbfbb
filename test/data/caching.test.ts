/** ETags and the cache lifetime of responses. */
import { beforeAll, describe, expect, test } from "vitest";
import { ALWAYS, CACHED } from "./expectedResponses.ts";
import { type RequestOptions, sendRequest, asOwner, responseTo, until } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };
const TARGET = "/fact_observation?order=id&select=id,label";

const tagOf = async (line = `GET ${TARGET}`, options: RequestOptions = { headers: marts }): Promise<string> =>
  String((await sendRequest(line, options)).headers["etag"]);

/**
 * Waits until the ETag no longer changes and returns it: Postgres reports the writes of a session up to 10 s later (infra/data/sql/010_pre_request.sql).
 * It is stable if a hundred responses in a row have the same one.
 */
async function settledTag(): Promise<string> {
  let [tag, same] = [await tagOf(), 0];
  await until(true, async () => {
    const now = await tagOf();
    [tag, same] = [now, now === tag ? same + 1 : 0];
    return same >= 100;
  });
  return tag;
}

let tag: string;
beforeAll(async () => {
  tag = await settledTag();
});

const unchanged = { status: 304, headers: { ...ALWAYS, ...CACHED }, body: "" };

describe("If-None-Match", () => {
  test.each([
    ["the tag", (own: string) => own],
    ["the tag as a strong one", (own: string) => own.replace("W/", "")],
    ["a list with it", (own: string) => `"other", ${own}, W/"third"`],
    ["a list without blanks", (own: string) => `"other",${own}`],
    ["a star", () => "*"],
  ])("returns 304 without a body for GET and HEAD with %s", async (_, known) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await responseTo(`${method} ${TARGET}`, { headers: { ...marts, "If-None-Match": known(tag) } });
      expect([method, response]).toEqual([method, unchanged]);
    }
  });

  test.each([
    ["another tag", () => '"0123456789abcdef0123456789abcdef"'],
    ["a part of the tag", (own: string) => own.slice(0, -2)],
    ["the tag without quotes", (own: string) => own.replaceAll(/W\/|"/g, "")],
    ["nothing", () => ""],
  ])("returns the rows with %s", async (_, known) => {
    const response = await sendRequest(`GET ${TARGET}`, { headers: { ...marts, "If-None-Match": known(tag) } });
    expect([response.status, response.headers["etag"]]).toEqual([200, tag]);
    expect((JSON.parse(response.body) as unknown[]).length).toBe(6);
  });

  test.each([
    ["/nothing", marts, 404],
    ["/fact_observation", {}, 404],
    ["/fact_observation", { "Accept-Profile": "private_marts" }, 404],
    ["/secret_person", marts, 404],
  ])("returns 404 with a star or a tag for what is not served: %s %j", async (path, headers, status) => {
    for (const known of ["*", tag]) {
      expect((await sendRequest(`GET ${path}`, { headers: { ...headers, "If-None-Match": known } })).status).toBe(
        status,
      );
    }
  });
});

describe("the ETag", () => {
  test("is the same for the same request", async () => {
    expect(await tagOf()).toBe(tag);
    expect(await tagOf(`HEAD ${TARGET}`)).toBe(tag);
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
    const known = await settledTag();
    const refresh = () => sendRequest(`GET ${TARGET}`, { headers: { ...marts, "If-None-Match": known } });
    expect((await refresh()).status).toBe(304);
    try {
      await asOwner("update marts.fact_observation set label = 'Grey Heron' where id = 1");
      await until(200, async () => (await refresh()).status);
      const { headers, body } = await refresh();
      expect(headers["etag"]).not.toBe(known);
      expect((JSON.parse(body) as { label: string }[])[0]?.label).toBe("Grey Heron");
    } finally {
      await asOwner("update marts.fact_observation set label = 'Grey heron' where id = 1");
    }
    tag = await settledTag();
    expect(tag).not.toBe(known);
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
