import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

const marts = { "accept-profile": "marts" };
const PATIENCE = { timeout: 240_000, interval: 50 };
let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(
    `create table marts.dim_place (id integer primary key, name text);
     insert into marts.dim_place select n, 'place ' || n from generate_series(1, 5) n`,
    api.roles.owner,
  );
});
afterAll(() => api.stop());

/** Returns the ETag of a response. */
async function tagOf(path: string, headers: Record<string, string>): Promise<string> {
  return String((await api.get(path, headers)).headers["etag"]);
}

/** Runs `work` with the tag of a response until it passes: Postgres can count a write of an earlier test at any time, which changes all tags. */
async function withTag<T>(
  path: string,
  headers: Record<string, string>,
  work: (tag: string) => Promise<T>,
): Promise<T> {
  return vi.waitFor(async () => work(await tagOf(path, headers)), PATIENCE);
}

describe("If-None-Match", () => {
  test.each([
    ["GET", "itself", (tag: string) => tag],
    ["GET", "as a strong one", (tag: string) => tag.slice(2)],
    ["GET", "in a list", (tag: string) => `"other", ${tag}, W/"third"`],
    ["GET", "as any", () => "*"],
    ["HEAD", "itself", (tag: string) => tag],
  ] as const)("returns 304 without a body for %s with the tag %s", async (method, _, header) => {
    await withTag("/dim_place", marts, async (tag) => {
      const response = await api.get("/dim_place", { ...marts, "if-none-match": header(tag) }, method);
      expect([response.status, response.body, response.headers["etag"]]).toEqual([304, "", tag]);
      expect(response.headers["cache-control"]).toBe("public, max-age=60");
    });
  });

  test("does not match for longer than max-age where a foreign table exists, whose writes are not counted", async () => {
    api.migrate({ max_age: "1" });
    const remote = `create extension postgres_fdw; create server here foreign data wrapper postgres_fdw;
      create foreign table private_marts.remote (id integer) server here`;
    await api.query(remote);
    const tag = (await api.get("/dim_place", marts)).headers["etag"];
    await expect.poll(async () => (await api.get("/dim_place", marts)).headers["etag"], PATIENCE).not.toBe(tag);
    const again = await api.get("/dim_place", { ...marts, "if-none-match": String(tag) });
    expect(again.status).toBe(200);
    await api.query("drop extension postgres_fdw cascade");
    api.migrate();
  });

  test("sends no body with a 304", async () => {
    await withTag("/dim_place", { ...marts, accept: "*/*" }, async (tag) => {
      const socket = connect(api.port, "127.0.0.1");
      await once(socket, "connect");
      const lines = [
        "GET /dim_place HTTP/1.1",
        "Host: x",
        "Accept: */*",
        "Accept-Profile: marts",
        `If-None-Match: ${tag}`,
      ];
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
      const response = await text(socket);
      expect(response).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
      expect(response.slice(response.indexOf("\r\n\r\n"))).toBe("\r\n\r\n");
    });
  });

  test.each([
    ["another tag", "/dim_place", { "if-none-match": '"00000000000000000000000000000000"' }, 200],
    ["any tag of a relation that is not there", "/nothing", { "if-none-match": "*" }, 404],
    ["any tag of a private relation", "/many", { "if-none-match": "*", "accept-profile": "private_marts" }, 406],
  ])("does not match %s", async (_, path, headers, status) => {
    expect((await api.get(path, { ...marts, ...headers })).status).toBe(status);
  });

  test.each([
    ["path", "/limits", {}],
    ["schema", "/dim_place", { "accept-profile": "raw" }],
    ["media type", "/dim_place", { accept: "text/csv" }],
    ["preference", "/dim_place", { prefer: "count=exact" }],
    ["range", "/dim_place", { range: "0-1" }],
  ])("does not match the tag of another %s", async (_, path, headers) => {
    const own = { ...marts, accept: "*/*" };
    const status = await withTag("/dim_place", own, async (tag) => {
      const response = await api.get(path, { ...own, ...headers, "if-none-match": tag });
      // The tag has not changed meanwhile.
      expect((await api.get("/dim_place", { ...own, "if-none-match": tag })).status).toBe(304);
      return response.status;
    });
    expect(status).not.toBe(304);
  });

  test("changes the tag after a write in the database, but not in another one", async () => {
    const inserted = async (): Promise<unknown> => {
      const counters = "select pg_stat_get_db_tuples_inserted(oid) as n from pg_database where datname = 'postgres'";
      return (await api.query<{ n: string }>(counters))[0]?.n;
    };
    await api.query("create table neighbour (id integer)", undefined, "postgres");
    const tag = await vi.waitFor(async () => {
      const [before, tag] = [await inserted(), await tagOf("/dim_place", marts)];
      await api.query("insert into neighbour values (1)", undefined, "postgres");
      await vi.waitFor(async () => expect(await inserted()).not.toBe(before), PATIENCE);
      expect((await api.get("/dim_place", { ...marts, "if-none-match": tag })).status).toBe(304);
      return tag;
    }, PATIENCE);

    await api.query("update marts.dim_place set name = 'moved' where id = 1", api.roles.owner);
    await vi.waitFor(async () => {
      const response = await api.get("/dim_place?id=eq.1", { ...marts, "if-none-match": tag });
      expect([response.status, response.body]).toEqual([200, '[{"id":1,"name":"moved"}]']);
    }, PATIENCE);
  });
});
