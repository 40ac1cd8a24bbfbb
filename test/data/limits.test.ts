/** The default limits for one client and one query, and deprecated schemas. */
import { type IncomingHttpHeaders, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { podAddress, withoutSlots } from "./defences.ts";
import { ALWAYS, errorResponse, NOTICE } from "./expectedResponses.ts";
import { sendRequest, asOwner, newClient, rowsOf, responseTo, runningQueries, until } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };

beforeAll(async () => {
  await asOwner(
    "create view marts.slow_query as select pg_sleep(4)::text as slept",
    "create view marts.slow as select pg_sleep(60)::text as slept",
    "create view marts.slowish as select pg_sleep(2)::text as slept",
    "create view api_v1.slowish as select pg_sleep(2)::text as slept",
  );
  await until(200, async () => (await sendRequest("HEAD /slowish?limit=0")).status);
});
afterAll(() => asOwner("drop view if exists marts.slow, marts.slow_query, marts.slowish, api_v1.slowish"));

describe("requests of one client", () => {
  test("get 429 with Retry-After above the burst of 100, while another client gets its rows", async () => {
    const [greedy, polite] = [newClient(), newClient()];
    const answers: { status: number; headers: IncomingHttpHeaders; body: string }[] = [];
    const late = () => answers.filter(({ status }) => status === 429);
    const { url, gatewayPort } = inject("data");
    const options = { localAddress: greedy, pipelining: 100 };
    // Traefik answers one request of a connection at a time, and more than 6 at a time get 429 too.
    const connections = Array.from({ length: 5 }, () => new Client(`http://127.0.0.1:${gatewayPort}`, options));
    // Until the burst is used up: 50 requests are admitted in each second.
    while (late().length === 0) {
      const batch = Array.from({ length: 250 }, async (_, index) => {
        const own = { path: "/", method: "OPTIONS", headers: { host: new URL(url).host } } as const;
        const { statusCode, headers, body } = await connections[index % 5]!.request(own);
        return { status: statusCode, headers, body: await body.text() };
      });
      answers.push(...(await Promise.all(batch)));
    }
    await Promise.all(connections.map((connection) => connection.close()));
    const passed = answers.filter(({ status }) => status === 200).length;
    // The burst, and 50 more for each second.
    expect(passed).toBeGreaterThanOrEqual(100);
    expect(passed + late().length).toBe(answers.length);
    for (const { headers, body } of late()) {
      expect([body, headers["retry-after"]]).toEqual(["Too Many Requests", expect.stringMatching(/^\d+$/)]);
      expect(headers["access-control-allow-origin"]).toBe("*");
    }
    expect((await sendRequest("GET /dim_fylke", { headers: marts, from: polite })).status).toBe(200);
    await until(200, async () => (await sendRequest("GET /dim_fylke", { headers: marts, from: greedy })).status);
  });

  test("get 429 above 6 concurrent ones, while another client gets its rows", async () => {
    const [greedy, polite] = [newClient(), newClient()];
    const slow = Array.from({ length: 10 }, () => sendRequest("GET /slowish", { headers: marts, from: greedy }));
    const refusal = await Promise.any(
      slow.map(async (response) => {
        const { status, body } = await response;
        return status === 429 ? { status, body } : Promise.reject(new Error(`${status}`));
      }),
    );
    expect(refusal).toEqual({ status: 429, body: "max connections reached: 6" });
    expect((await sendRequest("GET /dim_fylke", { headers: marts, from: polite })).status).toBe(200);
    const statuses = (await Promise.all(slow)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(6).fill(200), ...Array<number>(4).fill(429)]);
    expect((await sendRequest("GET /dim_fylke", { headers: marts, from: greedy })).status).toBe(200);
  });

  test("get 429 above 6 concurrent ones of several schemas, also with exact counts", async () => {
    const from = newClient();
    const counted = { Prefer: "count=exact" };
    const kinds: Record<string, string>[] = [marts, {}, { ...marts, ...counted }, counted];
    const sent = kinds.flatMap((headers) =>
      Array.from({ length: 3 }, () => sendRequest("GET /slowish", { headers, from })),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(6).fill(200), ...Array<number>(6).fill(429)]);
  });
});

describe("requests whose client disconnects", () => {
  /** Sends requests until the burst is nearly used, and closes the connection of each after 50 ms. @returns the largest number of queries that ran */
  async function sendAndDisconnect(): Promise<number> {
    const { url, gatewayPort } = inject("data");
    const from = { host: "127.0.0.1", port: gatewayPort, localAddress: newClient(), agent: false };
    const headers = { ...marts, host: new URL(url).host };
    let most = 0;
    for (let sent = 0; sent < 60; sent += 1) {
      const outgoing = request({ ...from, headers, path: "/slow_query" }).on("error", () => undefined);
      outgoing.end();
      setTimeout(() => outgoing.destroy(), 50);
      await pause(25);
      if (sent % 5 === 0) most = Math.max(most, await running());
    }
    return most;
  }

  const running = (): Promise<number> => runningQueries("slow_query");
  const ended = { timeout: 240_000, interval: 100 };

  test("run at most 6 queries, while another client gets its rows", async () => {
    const [most, { status }] = await Promise.all([
      sendAndDisconnect(),
      pause(1_000).then(() => sendRequest("GET /dim_fylke", { headers: marts, from: newClient() })),
    ]);
    expect(most).toBeLessThanOrEqual(6);
    expect(status).toBe(200);
    await vi.waitFor(async () => expect(await running()).toBe(0), ended);
  });

  test("control: run more if the database does not count them, since PostgREST does not cancel their queries", () =>
    withoutSlots(async () => {
      // On a busy machine, some connections are closed before the gateway passes their request.
      await vi.waitFor(async () => expect(await sendAndDisconnect()).toBeGreaterThan(6), ended);
      await vi.waitFor(async () => expect(await running()).toBe(0), ended);
    }));
});

describe("a query", () => {
  test("is canceled after 5 s", async () => {
    const began = performance.now();
    const response = await responseTo("GET /slow", { headers: marts });
    const took = performance.now() - began;
    expect(response).toEqual(
      errorResponse(500, { code: "57014", message: "canceling statement due to statement timeout" }),
    );
    expect(took).toBeGreaterThan(4_900);
    // The statement sleeps for a minute.
    expect(took).toBeLessThan(55_000);
  });

  test("cannot raise its timeout with Prefer", async () => {
    const prefer = { ...marts, Prefer: "timeout=60, statement_timeout=60s, tx=commit, timezone=UTC" };
    expect((await sendRequest("GET /slow", { headers: prefer })).status).toBe(500);
  });

  test("is routed without a body only, which PostgREST would read into its memory", async () => {
    const line = "GET /dim_fylke?limit=1&select=fylke_nr";
    for (const [name, value] of [
      ["Content-Length", "1"],
      ["Transfer-Encoding", "chunked"],
    ] as const) {
      const headers = { ...marts, [name]: value };
      expect(await sendRequest(line, { headers, body: "x" })).toMatchObject({ status: 413 });
      expect((await sendRequest(line, { headers, body: "x", to: await podAddress() })).status).toBe(200);
    }
  });

  test("is refused by Traefik with more than 64 kB of headers, before any rule is compared", async () => {
    expect((await sendRequest(`GET /dim_fylke?x=${"a".repeat(80_000)}`, { headers: marts })).status).toBe(431);
  });

  const ordered = (columns: number): string => `limit=1&order=${"fylke_nr,".repeat(columns - 1)}fylke_nr`;
  const conditions = (count: number): string =>
    `limit=1&or=(${"and(".repeat(count)}fylke_nr.eq.03${")".repeat(count)})`;
  const values = (count: number): string => `limit=1&fylke_nr=in.(${"03,".repeat(count - 1)}03)`;
  const statusOf = async (query: string, to?: Awaited<ReturnType<typeof podAddress>>): Promise<number> =>
    (await sendRequest(`GET /dim_fylke?${query}`, { headers: marts, ...(to && { to }) })).status;

  test("is redirected to a path without a route with an order by more than 100 columns, or above 8,000 characters", async () => {
    const queries = [ordered(100), ordered(101), values(2_600), values(2_700), conditions(1_700)];
    expect(await Promise.all(queries.map((query) => statusOf(query)))).toEqual([200, 302, 200, 302, 302]);
  });

  test("control: makes PostgREST itself compute for more than 100 ms", async () => {
    const to = await podAddress();
    const timeOf = async (query: string): Promise<number> => {
      const began = performance.now();
      expect(await statusOf(query, to)).toBe(200);
      return performance.now() - began;
    };
    expect(await timeOf(ordered(4_000))).toBeGreaterThan(100);
    expect(await timeOf(conditions(4_000))).toBeGreaterThan(100);
  });

  const nested = "select=fylke_nr,dim_kommune(kommune_nr,dim_fylke(fylke_nr,dim_kommune(kommune_nr)))";
  const wide = `select=${["a", "b", "c", "d"].map((alias) => `${alias}:dim_kommune(kommune_nr)`).join(",")}`;
  test.each([
    nested,
    wide,
    `limit=1&${encodeURIComponent(nested).replace("%3D", "=")}`,
    nested.replace("select", "%73elect"),
    `select=fylke_nr&${nested}`,
    `x=1;${nested}`,
    `${nested};x=1`,
    `x=%zz&${nested}`,
    `${nested}%`,
    `${nested}%zz`,
    `${nested}%2`,
  ])("returns no rows with nested relations or more than three: %s", async (query) => {
    const { status, body } = await sendRequest(`GET /dim_fylke?${query}`, { headers: marts });
    expect([status >= 300, body.includes('kommune_nr":')]).toEqual([true, false]);
  });

  test("returns rows with three related relations", async () => {
    const three = `select=${["a", "b", "c"].map((alias) => `${alias}:dim_kommune(kommune_nr)`).join(",")}`;
    const [county] = await rowsOf(`GET /dim_fylke?fylke_nr=eq.03&${three}`, { headers: marts });
    const oslo = [{ kommune_nr: "0301" }];
    expect(county).toEqual({ a: oslo, b: oslo, c: oslo });
  });
});

describe("a deprecated schema", () => {
  const raw = { "Accept-Profile": "raw" };
  test("has Deprecation, Sunset and Link in every response", async () => {
    for (const line of [
      "GET /ssb_kommuner?limit=1",
      "HEAD /ssb_kommuner",
      "GET /",
      "GET /nothing",
      "GET /readings?x=eq.1",
    ]) {
      const { headers } = await responseTo(line, { headers: raw });
      expect([line, headers]).toMatchObject([line, { ...ALWAYS, ...NOTICE }]);
    }
  });

  test("has Deprecation, Sunset and Link in a 304", async () => {
    const { status, headers } = await responseTo("GET /ssb_kommuner", { headers: { ...raw, "If-None-Match": "*" } });
    expect([status, headers]).toMatchObject([304, NOTICE]);
  });

  test("is the only schema with these headers", async () => {
    for (const headers of [{}, marts]) {
      const response = await responseTo("GET /", { headers });
      expect(Object.keys(NOTICE).filter((name) => name in response.headers)).toEqual([]);
    }
  });
});
