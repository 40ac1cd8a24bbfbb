import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type HttpClient, headerOf, withClient } from "../../../ops/clients/http.ts";

async function ask<T>(respond: RequestListener, work: (client: HttpClient, url: string) => Promise<T>): Promise<T> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return withClient((client) => work(client, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
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
  ["repeats a request once after a 5xx answer", [500, 200], 200, 2],
  ["returns the second 5xx answer", [502, 503, 200], 503, 2],
  ["does not repeat a request after another answer", [404, 200], 404, 1],
])("%s", async (_, statuses, status, count) => {
  const received: string[] = [];
  const answer = await ask(inTurn(statuses, received), (client, url) =>
    client.send(url, { method: "POST", body: "a=1" }),
  );
  expect([answer.status, answer.body, received]).toEqual([status, "body", Array(count).fill("POST a=1")]);
});

const raw = (text: string): string => Buffer.from(text).toString("latin1");

test("reads the values of headers as UTF-8", async () => {
  const answer = await ask(
    (_, response) => {
      response.setHeader("X-Idp-Name", raw("Kåre Ødegård, 青"));
      response.setHeader("X-Idp-Groups", [raw("æ"), raw("ø")]);
      response.setHeader("X-Latin", "K\u00e5re");
      response.end();
    },
    (client, url) => client.send(url),
  );
  expect(["x-idp-name", "x-idp-groups", "x-latin"].map((name) => headerOf(answer, name))).toEqual([
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

test("follows redirects with cookies, and records each answer without its query", async () => {
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
