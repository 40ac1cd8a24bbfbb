import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createClient, type HttpClient, headerOf, withClient } from "../../../ops/clients/http.ts";

async function ask<T>(
  respond: RequestListener,
  work: (client: HttpClient, url: string) => Promise<T>,
  ...options: Parameters<typeof createClient>
): Promise<T> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return withClient((client) => work(client, url), ...options).finally(() => server.close().closeAllConnections());
}

/** Answers the requests with these statuses, in their order, and notes each request. */
function inTurn(statuses: readonly number[], received: string[]): RequestListener {
  return (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push(`${request.method} ${body}`);
      response.writeHead(statuses[received.length - 1] ?? 404).end("body");
    });
  };
}

test.each([
  ["repeats a request once after a 5xx response", [500, 200], 200, 2],
  ["returns the second 5xx response", [502, 503, 200], 503, 2],
  ["does not repeat a request after another response", [404, 200], 404, 1],
])("%s", async (_, statuses, status, count) => {
  const received: string[] = [];
  const response = await ask(inTurn(statuses, received), (client, url) =>
    client.send(url, { method: "POST", body: "a=1" }),
  );
  expect([response.status, response.body, received]).toEqual([status, "body", Array(count).fill("POST a=1")]);
});

test("does not repeat a request that the server can have processed", async () => {
  const received: string[] = [];
  const response = await ask(inTurn([500, 200], received), (client, url) =>
    client.send(url, { method: "POST", body: "a=1", once: true }),
  );
  expect([response.status, received]).toEqual([500, ["POST a=1"]]);
});

const raw = (text: string): string => Buffer.from(text).toString("latin1");

test("reads the values of headers as UTF-8", async () => {
  const response = await ask(
    (_, response) => {
      response.setHeader("X-Idp-Name", raw("Kåre Ødegård, 青"));
      response.setHeader("X-Idp-Groups", [raw("æ"), raw("ø")]);
      response.setHeader("X-Latin", "K\u00e5re");
      response.end();
    },
    (client, url) => client.send(url),
  );
  expect(["x-idp-name", "x-idp-groups", "x-latin"].map((name) => headerOf(response, name))).toEqual([
    "Kåre Ødegård, 青",
    "æ, ø",
    "K\u00e5re",
  ]);
});

test("sends a cookie back byte for byte", async () => {
  const cookie = `name=${raw("æøå")}`;
  const sent = await ask(
    (request, response) => {
      response.setHeader("Set-Cookie", cookie);
      // A string would make Node.js write the headers as UTF-8, too.
      response.end(Buffer.from(JSON.stringify(request.headers.cookie ?? "")));
    },
    async (client, url) => {
      await client.send(url);
      return (await client.send(url)).body;
    },
  );
  expect(JSON.parse(sent)).toBe(cookie);
});

test("follows redirects with cookies, and records each response without its query", async () => {
  const [answer, hops] = await ask(
    (request, response) => {
      if (request.url?.startsWith("/start")) {
        response.writeHead(302, { location: "/end?token=canary", "set-cookie": "session=1" }).end();
      } else response.end(request.headers.cookie);
    },
    async (client, url) => [await client.follow(`${url}start`), client.hops] as const,
  );
  const { origin } = new URL(answer.url);
  expect([answer.status, answer.body]).toEqual([200, "session=1"]);
  expect(hops).toEqual([
    { url: `${origin}/start`, status: 302 },
    { url: `${origin}/end`, status: 200 },
  ]);
});

test.each([
  ["a loop between two addresses", (count: number) => (count % 2 === 0 ? "/a" : "/b"), true, 7],
  ["an address that redirects to itself", () => "/again", true, 16],
  ["too many redirects", (count: number) => `/step-${count}`, false, 16],
])("rejects %s", async (_, location, isLoop, requests) => {
  let count = 0;
  const failing = ask(
    (__, response) => void response.writeHead(302, { location: location((count += 1)) }).end(),
    (client, url) => client.follow(url),
  );
  await expect(failing).rejects.toMatchObject({ name: "RedirectError", isLoop });
  expect(count).toBe(requests);
});

/** Sends a part of a body every 50 ms, and never ends. */
const endless: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const timer = setInterval(() => response.write("data: x\n\n"), 50);
  response.on("close", () => clearInterval(timer));
};

describe.concurrent("a body without an end", () => {
  test("is an error after one and a half times the timeout", async () => {
    const failing = ask(endless, (client, url) => client.send(url), undefined, 2_000);
    await expect(failing).rejects.toThrow(/^the response is not complete after 3 s$/);
  });

  test("is read until the request is interrupted", async () => {
    const abort = new AbortController();
    const listener: RequestListener = (request, response) => {
      endless(request, response);
      response.write("data: x\n\n", () => abort.abort("SIGINT"));
    };
    const failing = ask(listener, (client, url) => client.send(url, { excerpt: true, signal: abort.signal }));
    await expect(failing).rejects.toThrow(/^interrupted$/);
  });

  test("is read for a sixth of the timeout with excerpt", async () => {
    const response = await ask(endless, (client, url) => client.send(url, { excerpt: true }), undefined, 9_000);
    expect([response.status, response.body.slice(0, 9)]).toEqual([200, "data: x\n\n"]);
  });

  test("is read up to its limit with excerpt, and the connection ends", async () => {
    const closed = Promise.withResolvers<void>();
    const long: RequestListener = (_, response) => {
      const write = (): void => void (response.destroyed || response.write("x".repeat(64_000), write));
      response.on("close", closed.resolve).writeHead(200);
      write();
    };
    const response = await ask(long, async (client, url) => {
      const excerpt = await client.send(url, { excerpt: true });
      await closed.promise;
      return excerpt;
    });
    expect([response.status, response.body.length]).toEqual([200, 1_000_000]);
  });
});

test("returns a short body, and the whole body without excerpt", async () => {
  const text = "å".repeat(1_000_000);
  const respond: RequestListener = (request, response) => response.end(request.url === "/short" ? "ok" : text);
  const bodies = await ask(respond, async (client, url) => [
    (await client.send(`${url}short`, { excerpt: true })).body,
    (await client.send(url)).body,
  ]);
  expect(bodies).toEqual(["ok", text]);
});
