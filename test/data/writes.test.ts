/** No method, header or function can write, also with every privilege granted; each of the three defences is sufficient alone. */
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { checksum } from "./checksum.ts";
import { NO_ROUTE } from "./expectedResponses.ts";
import { grantEverything, podAddress, restoreGrants, withoutPreRequest, withAllGrants } from "./defences.ts";
import { type RequestOptions, sendRequest, asOwner, responseTo, until, withDatabase } from "./apiClient.ts";

const COUNTY = { fylke_nr: "99", fylke_navn: "Nowhere" };
const JSON_BODY = { "Content-Type": "application/json", "Accept-Profile": "marts", "Content-Profile": "marts" };
const write: RequestOptions = { headers: JSON_BODY, body: JSON.stringify(COUNTY) };

/** Objects that a pipeline may create by mistake: security definer functions that write, and views that call them. */
beforeAll(async () => {
  await asOwner(
    `create sequence marts.ticket`,
    `create function marts.write_county() returns text language sql volatile security definer set search_path = ''
     as $$ insert into marts.dim_fylke values ('98', 'Written') returning fylke_nr $$`,
    `create function marts.take_number() returns bigint language sql volatile security definer set search_path = ''
     as $$ select nextval('marts.ticket') $$`,
    `create view marts.writing as select marts.write_county() as written`,
    `create view marts.counting as select marts.take_number() as number`,
  );
  // 401: PostgREST has the view in its schema cache, and the role may not execute its function.
  await until(
    401,
    async () => (await sendRequest("HEAD /counting?limit=0", { headers: { "Accept-Profile": "marts" } })).status,
  );
});
afterAll(() =>
  asOwner(
    `drop view if exists marts.writing, marts.counting`,
    `drop function if exists marts.write_county(), marts.take_number()`,
    `drop sequence if exists marts.ticket`,
  ),
);

/** Methods without a route at the gateway. */
const METHODS = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MERGE", "LOCK", "QUERY"];
const OVERRIDES = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"];
const noop = () => Promise.resolve();
const plan = { grants: "with the grants of the plan", before: noop, after: noop, viewed: [401, ""] };
const withGrants = {
  grants: "with everything granted to the anonymous role",
  before: grantEverything,
  after: restoreGrants,
  viewed: [405, expect.objectContaining({ code: "25006" })],
};

describe.each([plan, withGrants])("through the gateway, $grants,", ({ before, after, viewed }) => {
  let checksumBefore: string;
  beforeAll(async () => {
    await before();
    checksumBefore = await checksum();
  });
  afterAll(after);

  test.each(METHODS)("returns 404 for %s", async (method) => {
    for (const path of ["/dim_fylke", "/dim_fylke?fylke_nr=eq.03", "/rpc/write_county", "/", "/openapi.json"]) {
      expect(await responseTo(`${method} ${path}`, write)).toEqual(NO_ROUTE);
    }
  });

  test("opens no tunnel for CONNECT", async () => {
    const { host } = new URL(inject("data").url);
    const response = await transmit(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test.each(OVERRIDES)("returns the same response to GET with %s", async (name) => {
    const line = "GET /dim_fylke?order=fylke_nr";
    const plain = await responseTo(line, { headers: JSON_BODY });
    for (const method of ["DELETE", "POST", "PATCH", "PUT"]) {
      expect(await responseTo(line, { ...write, headers: { ...JSON_BODY, [name]: method } })).toEqual(plain);
    }
  });

  test.each(["tx=commit", "return=representation, tx=commit", "resolution=merge-duplicates", "params=single-object"])(
    "returns the same status for a body with Prefer: %s",
    async (prefer) => {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const response = await sendRequest(`${method} /dim_fylke`, {
          ...write,
          headers: { ...JSON_BODY, Prefer: prefer },
        });
        expect([method, response.status]).toEqual([method, method === "POST" ? 404 : 200]);
      }
    },
  );

  test.each(["write_county", "take_number"])("returns 404 for the volatile function %s at any path", async (name) => {
    for (const path of [`/rpc/${name}`, `//rpc/${name}`, `/%72pc/${name}`, `/x/../rpc/${name}`, `/rpc//${name}`]) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const response = await sendRequest(`${method} ${path}`, { headers: JSON_BODY });
        expect([method, path, response.status]).toEqual([method, path, 404]);
      }
    }
  });

  test.each(["writing", "counting"])("returns an error for the view %s with a volatile function", async (view) => {
    const { status, body } = await responseTo(`GET /${view}`, { headers: JSON_BODY });
    expect([status, body]).toEqual(viewed);
  });

  test("changes nothing in the database with these requests", async () => {
    expect(await checksum()).toBe(checksumBefore);
  });
});

/** Writes bytes to the gateway. @returns all bytes until it closed the connection */
async function transmit(bytes: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: inject("data").gatewayPort });
  socket.setTimeout(120_000, () => socket.destroy(new Error("the gateway kept the connection open")));
  socket.write(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

describe("each defence alone", () => {
  let direct: NonNullable<RequestOptions["to"]>;
  beforeEach(async () => {
    direct = await podAddress();
  });

  /** Attempts to write. @returns status and error code */
  async function attempt(options: RequestOptions = {}): Promise<unknown[]> {
    const response = await sendRequest("POST /dim_fylke", { ...write, ...options });
    const isJson = response.body.startsWith("{");
    return [response.status, isJson ? (JSON.parse(response.body) as { code: string }).code : response.body];
  }

  const expectUnchanged = async (work: () => Promise<void>): Promise<void> => {
    const before = await checksum();
    await work();
    expect(await checksum()).toBe(before);
  };

  test("rejects a write with the grants alone", () =>
    withoutPreRequest(() =>
      expectUnchanged(async () => expect(await attempt({ to: direct })).toEqual([401, "42501"])),
    ));

  test("rejects a write with the pre-request function alone", () =>
    withAllGrants(() => expectUnchanged(async () => expect(await attempt({ to: direct })).toEqual([405, "25006"]))));

  test("rejects a write at the gateway alone", () =>
    withoutPreRequest(() =>
      withAllGrants(() => expectUnchanged(async () => expect(await attempt()).toEqual([404, "404 page not found\n"]))),
    ));

  test("control: accepts a write without all three", () =>
    withoutPreRequest(() =>
      withAllGrants(async () => {
        expect((await attempt({ to: direct }))[0]).toBe(201);
        await withDatabase(async (client) => {
          const { rows } = await client.query(`delete from marts.dim_fylke where fylke_nr = '99' returning *`);
          expect(rows).toEqual([COUNTY]);
        });
      }),
    ));
});

test("grants the anonymous role SELECT in the exposed schemas, and no other privilege", async () => {
  const { rows } = await withDatabase((client) =>
    client.query<{ schema: string; privileges: string }>(
      `select n.nspname as schema, string_agg(distinct p, ',' order by p) as privileges
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) p
       where c.relkind in ('r', 'v', 'm', 'p', 'f') and n.nspname !~ '^(pg_|information_schema)'
         and has_table_privilege($1, c.oid, p) group by 1 order by 1`,
      [inject("data").plan.roles.anonymous],
    ),
  );
  expect(rows).toEqual(["api_v1", "marts", "raw"].map((schema) => ({ schema, privileges: "SELECT" })));
});
