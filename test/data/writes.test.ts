/** Nothing can be written, by no method, header or function, whoever granted what; and each of the three defences is enough alone. */
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { checksum } from "./checksum.ts";
import { NO_ROUTE } from "./answers.ts";
import { grantEverything, pod, takeBack, withoutPreRequest, withStrayGrants } from "./defences.ts";
import { type Asked, ask, asOwner, told, until, withDatabase } from "./api-client.ts";

const COUNTY = { fylke_nr: "99", fylke_navn: "Nowhere" };
const JSON_BODY = { "Content-Type": "application/json", "Accept-Profile": "marts", "Content-Profile": "marts" };
const write: Asked = { headers: JSON_BODY, body: JSON.stringify(COUNTY) };

/** What a careless pipeline might leave behind: a function that writes, with its owner's rights, and a view that calls it. */
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
  // Known, and refused: its function is nobody's.
  await until(
    401,
    async () => (await ask("HEAD /counting?limit=0", { headers: { "Accept-Profile": "marts" } })).status,
  );
});
afterAll(() =>
  asOwner(
    `drop view if exists marts.writing, marts.counting`,
    `drop function if exists marts.write_county(), marts.take_number()`,
    `drop sequence if exists marts.ticket`,
  ),
);

/** What reaches no route at the gateway. */
const METHODS = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MERGE", "LOCK", "QUERY"];
const OVERRIDES = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"];
const nothing = () => Promise.resolve();
const plan = { grants: "with the grants of the plan", before: nothing, after: nothing, viewed: [401, "42501"] };
const stray = {
  grants: "with everything granted to the anonymous role",
  before: grantEverything,
  after: takeBack,
  viewed: [405, "25006"],
};

describe.each([plan, stray])("through the gateway, $grants,", ({ before, after, viewed }) => {
  let held: string;
  beforeAll(async () => {
    await before();
    held = await checksum();
  });
  afterAll(after);

  test.each(METHODS)("%s is not routed", async (method) => {
    for (const path of ["/dim_fylke", "/dim_fylke?fylke_nr=eq.03", "/rpc/write_county", "/", "/openapi.json"]) {
      expect(await told(`${method} ${path}`, write)).toEqual(NO_ROUTE);
    }
  });

  test("CONNECT opens no tunnel", async () => {
    const { host } = new URL(inject("data").url);
    const answer = await transmit(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test.each(OVERRIDES)("%s changes nothing of what GET answers", async (name) => {
    const line = "GET /dim_fylke?order=fylke_nr";
    const plain = await told(line, { headers: JSON_BODY });
    for (const method of ["DELETE", "POST", "PATCH", "PUT"]) {
      expect(await told(line, { ...write, headers: { ...JSON_BODY, [name]: method } })).toEqual(plain);
    }
  });

  test.each(["tx=commit", "return=representation, tx=commit", "resolution=merge-duplicates", "params=single-object"])(
    "Prefer: %s with a body is answered as without",
    async (prefer) => {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const answer = await ask(`${method} /dim_fylke`, { ...write, headers: { ...JSON_BODY, Prefer: prefer } });
        expect([method, answer.status]).toEqual([method, method === "POST" ? 404 : 200]);
      }
    },
  );

  test.each(["write_county", "take_number"])("the volatile function %s is called by no path", async (name) => {
    for (const path of [`/rpc/${name}`, `//rpc/${name}`, `/%72pc/${name}`, `/x/../rpc/${name}`, `/rpc//${name}`]) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const answer = await ask(`${method} ${path}`, { headers: JSON_BODY });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    }
  });

  test.each(["writing", "counting"])("the view %s, which calls a volatile function, is refused", async (view) => {
    const { status, body } = await ask(`GET /${view}`, { headers: JSON_BODY });
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual(viewed);
  });

  test("and after all of that the database holds what it held", async () => {
    expect(await checksum()).toBe(held);
  });
});

/** Writes bytes to the gateway. @returns all that came until it closed */
async function transmit(bytes: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: inject("data").gatewayPort });
  socket.setTimeout(120_000, () => socket.destroy(new Error("the gateway kept the connection open")));
  socket.write(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

describe("read only, three times:", () => {
  let direct: NonNullable<Asked["to"]>;
  beforeEach(async () => {
    direct = await pod();
  });

  /** Status and code of an attempt to write. */
  async function attempt(asked: Asked = {}): Promise<unknown[]> {
    const answer = await ask("POST /dim_fylke", { ...write, ...asked });
    const isJson = answer.body.startsWith("{");
    return [answer.status, isJson ? (JSON.parse(answer.body) as { code: string }).code : answer.body];
  }

  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const before = await checksum();
    await work();
    expect(await checksum()).toBe(before);
  };

  test("without the gateway and the pre-request function, the grants refuse", () =>
    withoutPreRequest(() => unchanged(async () => expect(await attempt({ to: direct })).toEqual([401, "42501"]))));

  test("without the gateway and with every grant, the pre-request function refuses", () =>
    withStrayGrants(() => unchanged(async () => expect(await attempt({ to: direct })).toEqual([405, "25006"]))));

  test("without the pre-request function and with every grant, the gateway refuses", () =>
    withoutPreRequest(() =>
      withStrayGrants(() => unchanged(async () => expect(await attempt()).toEqual([404, "404 page not found\n"]))),
    ));

  test("control: without all three the row is written", () =>
    withoutPreRequest(() =>
      withStrayGrants(async () => {
        expect((await attempt({ to: direct }))[0]).toBe(201);
        await withDatabase(async (client) => {
          const { rows } = await client.query(`delete from marts.dim_fylke where fylke_nr = '99' returning *`);
          expect(rows).toEqual([COUNTY]);
        });
      }),
    ));
});

test("the anonymous role has SELECT in the exposed schemas, and nothing else anywhere", async () => {
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
