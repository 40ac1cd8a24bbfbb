import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

const marts = { "accept-profile": "marts" };
let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(
    `create table marts.dim_place (id integer primary key, name text);
     insert into marts.dim_place select n, 'place ' || n from generate_series(1, 5) n;
     create table marts.many (id integer) partition by list (id);
     create table marts.many_1 partition of marts.many for values in (1);
     insert into marts.many select 1 from generate_series(1, 2000);
     create table private_marts.many (id integer);
     insert into private_marts.many select generate_series(1, 2000);
     create view marts.waiting as select 1 as id from pg_catalog.pg_sleep(1);
     create view marts.limits as select pg_catalog.current_setting(name) as setting, name from unnest(array[
       'statement_timeout', 'lock_timeout', 'work_mem', 'hash_mem_multiplier', 'max_parallel_workers_per_gather', 'jit', 'temp_file_limit',
       'transaction_read_only', 'search_path', 'idle_in_transaction_session_timeout'
     ]) as name;
     analyze marts.many_1`,
    api.roles.owner,
  );
  // Replaces the function, as the control of the test.
  await api.query(
    `create function gatehouse.nothing() returns void language sql as ''; grant execute on function gatehouse.nothing() to public`,
  );
});
afterAll(() => api.stop());

describe("headers", () => {
  test("have the cache lifetime and the maximum number of rows in every response", async () => {
    const { status, headers } = await api.get("/dim_place", marts);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("public, max-age=60");
    expect(headers["vary"]).toBe("Accept, Accept-Profile, Prefer, Range, Range-Unit");
    expect(headers["x-max-rows"]).toBe("1000");
    expect(headers["etag"]).toMatch(/^W\/"[0-9a-f]{32}"$/);
  });

  test("have a changed limit at once", async () => {
    api.migrate({ max_rows: "7", max_age: "30" });
    const { headers } = await api.get("/dim_place", marts);
    expect([headers["x-max-rows"], headers["cache-control"]]).toEqual(["7", "public, max-age=30"]);
    api.migrate();
  });
});

describe("concurrent requests of one client", () => {
  const from = (forwarded: string): Record<string, string> => ({ ...marts, "x-forwarded-for": forwarded });

  test("are refused while six of its queries run, also if no request waits for them, and served after they end", async () => {
    const running = await api.session();
    await running.query("begin");
    await running.query(
      "select pg_advisory_xact_lock(hashtextextended('gatehouse 192.0.2.1 ' || slot, 0)) from generate_series(1, 6) as slot",
    );
    const refused = await api.get("/dim_place", from("192.0.2.1"));
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      429,
      {
        code: "too_many_requests",
        message: "at most 6 requests of one address run at a time",
        details: null,
        hint: null,
      },
    ]);
    expect([refused.headers["retry-after"], refused.headers["cache-control"]]).toEqual(["1", "no-store"]);
    const proxied = { ...from("192.0.2.2, 192.0.2.1"), "x-gatehouse-proxies": "1" };
    const others = [from("192.0.2.2"), from("192.0.2.1, 192.0.2.2"), proxied, marts];
    const statuses = await Promise.all(others.map(async (headers) => (await api.get("/dim_place", headers)).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
    const throughProxy = { ...from("192.0.2.1, 198.51.100.7"), "x-gatehouse-proxies": "1" };
    expect((await api.get("/dim_place", throughProxy)).status).toBe(429);
    await running.query("rollback");
    await running.end();
    expect((await api.get("/dim_place", from("192.0.2.1"))).status).toBe(200);
  });

  test.each([
    [{ "x-forwarded-for": "192.0.2.1" }, "192.0.2.1"],
    // The gateway trusts a sender that it should not: only the address that the gateway adds is certain.
    [{ "x-forwarded-for": "198.51.100.7, 192.0.2.1", "x-gatehouse-proxies": "0" }, "192.0.2.1"],
    [{ "x-forwarded-for": "198.51.100.7, 192.0.2.1" }, "192.0.2.1"],
    // A trusted proxy states its client, and the gateway adds the proxy.
    [{ "x-forwarded-for": "192.0.2.1, 198.51.100.7", "x-gatehouse-proxies": "1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "203.0.113.1,192.0.2.1,198.51.100.7", "x-gatehouse-proxies": "1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "192.0.2.1", "x-gatehouse-proxies": "1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "2001:db8:1:2:3::4" }, "2001:db8:1:2::/64"],
    [{ "x-forwarded-for": "2001:db8:1:2:ffff::9, 198.51.100.7", "x-gatehouse-proxies": "1" }, "2001:db8:1:2::/64"],
    [{ "x-forwarded-for": "::ffff:192.0.2.1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "192.0.2.1:54321" }, "192.0.2.1"],
    [{ "x-forwarded-for": "[2001:db8:1:2:3::4]:443" }, "2001:db8:1:2::/64"],
    [{ "x-forwarded-for": "not:an:address" }, "not:an:address"],
    [{ "x-real-ip": "192.0.2.1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "", "x-real-ip": "192.0.2.1" }, "192.0.2.1"],
    [{}, null],
  ])("are assigned by their headers to a client: %j -> %s", async (headers, client) => {
    const [row] = await api.query<{ client: string | null }>(`select gatehouse.client('${JSON.stringify(headers)}')`);
    expect(row?.client).toBe(client);
  });
});

describe("exact counts", () => {
  beforeAll(() => api.migrate({ exact_count_rows: "1000" }));
  afterAll(() => api.migrate());

  test.each([["/many"], ["/many_1"], ["/m%61ny"], ["/%6dany?id=eq.1"]])(
    "are refused for %s, which is large",
    async (path) => {
      const response = await api.get(path, { ...marts, prefer: "handling=lenient , count=exact" });
      expect(response.status).toBe(400);
      expect(JSON.parse(response.body)).toEqual({
        code: "exact_count_refused",
        message: "only tables of up to 1000 rows are counted exactly; use Prefer: count=estimated or count=planned",
        details: null,
        hint: null,
      });
      expect(response.headers["cache-control"]).toBe("no-store");
    },
  );

  test("are refused for HEAD too, without a body", async () => {
    const response = await api.get("/many?limit=0", { ...marts, prefer: "count=exact" }, "HEAD");
    expect([response.status, response.body, response.headers["content-range"]]).toEqual([400, "", undefined]);
  });

  test("are returned for small tables, and estimates for large ones", async () => {
    const count = async (path: string, prefer: string): Promise<unknown> => {
      const { status, headers } = await api.get(path, { ...marts, prefer }, "HEAD");
      return [status, headers["content-range"]];
    };
    expect(await count("/dim_place?limit=0", "count=exact")).toEqual([206, "*/5"]);
    expect(await count("/many_1?limit=0", "count=planned")).toEqual([206, "*/2000"]);
    expect(await count("/many_1?limit=0", "count=estimated")).toEqual([206, "*/2000"]);
  });

  test("are not logged when they are refused, nor are 304 responses, unlike errors", async () => {
    await api.get("/absent_from_here", marts);
    expect(api.log()).toContain('ERROR:  relation "marts.absent_from_here" does not exist');
    expect(api.log()).not.toMatch(/exact_count_refused|not_modified|STATEMENT/);
  });
});

describe("bounds of a request", () => {
  const limits = async (): Promise<Record<string, string>> => {
    const rows = JSON.parse((await api.get("/limits", marts)).body) as { name: string; setting: string }[];
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  };

  test("apply in its transaction, which has none without the function", async () => {
    expect(await limits()).toEqual({
      statement_timeout: "5s",
      lock_timeout: "1s",
      work_mem: "8MB",
      hash_mem_multiplier: "1",
      max_parallel_workers_per_gather: "0",
      jit: "off",
      temp_file_limit: "512MB",
      transaction_read_only: "on",
      search_path: '"marts", "gatehouse_openapi"',
      idle_in_transaction_session_timeout: "10s",
    });
    // PostgREST itself applies the settings of the role only with db-config.
    await api.restart({ PGRST_DB_PRE_REQUEST: "gatehouse.nothing" });
    expect(await limits()).toMatchObject({ statement_timeout: "0", lock_timeout: "0", work_mem: "4MB", jit: "on" });
    await api.restart();
  });

  test("stay the same when the database and all roles have other settings", async () => {
    const others = {
      statement_timeout: "0",
      lock_timeout: "0",
      work_mem: "'1GB'",
      hash_mem_multiplier: "1000",
      jit: "on",
      max_parallel_workers_per_gather: "8",
      temp_file_limit: "-1",
      default_transaction_read_only: "off",
      search_path: "private_marts",
      idle_in_transaction_session_timeout: "0",
    };
    const change = (action: (name: string, value: string) => string): Promise<unknown> =>
      api.query(
        Object.entries(others)
          .flatMap(([name, value]) =>
            ["database gatehouse", "role all"].map((of) => `alter ${of} ${action(name, value)}`),
          )
          .join(";"),
      );
    const before = await limits();
    await change((name, value) => `set ${name} to ${value}`);
    await api.restart();
    expect(await limits()).toEqual(before);
    expect(JSON.parse((await api.get("/many?select=count", marts)).body)).toEqual([{ count: 2000 }]);
    expect((await api.get("/many")).status).toBe(404);
    await change((name) => `reset ${name}`);
    await api.restart();
  });

  test("end a slow query, at once after a change of the setting", async () => {
    expect((await api.get("/waiting", marts)).status).toBe(200);
    await api.query(`alter role ${api.roles.anonymous} set statement_timeout to 200`);
    const response = await api.get("/waiting", marts);
    await api.query(`alter role ${api.roles.anonymous} set statement_timeout to 5000`);
    expect([response.status, JSON.parse(response.body)]).toEqual([
      500,
      { code: "57014", message: "canceling statement due to statement timeout", details: null, hint: null },
    ]);
  });
});

test("refuses a granted write, which succeeds without the function", async () => {
  const profile = { "content-profile": "marts", "content-type": "application/json", accept: "application/json" };
  const write = (): Promise<unknown> => api.post("/dim_place", profile, '{"id": 6, "name": "stray"}');
  await api.query(`grant insert on marts.dim_place to ${api.roles.anonymous}`);
  expect(await write()).toMatchObject({
    status: 405,
    body: '{"code":"25006","details":null,"hint":null,"message":"cannot execute SELECT in a read-only transaction"}',
  });
  await api.restart({ PGRST_DB_PRE_REQUEST: "gatehouse.nothing" });
  expect(await write()).toMatchObject({ status: 201 });
  expect(await api.query("select name from marts.dim_place where id = 6")).toEqual([{ name: "stray" }]);
  await api.restart();
});
