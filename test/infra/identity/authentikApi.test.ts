import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { StatusError, withAuthentik } from "../../../infra/identity/authentikApi.ts";

async function ask(respond: RequestListener): Promise<unknown> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return withAuthentik(url, "token", (api) => api.one("/core/brands/"));
}

test("repeats a request not before the time in Retry-After", async () => {
  const received: number[] = [];
  const answer = await ask((_, response) => {
    received.push(Date.now());
    if (received.length === 1) response.writeHead(503, { "retry-after": "1" }).end();
    else response.setHeader("content-type", "application/json").end("{}");
  });
  expect(answer).toEqual({});
  const [first = 0, second = 0, ...others] = received;
  expect(others).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(1_000);
});

test("does not repeat a request whose token is refused", async () => {
  let received = 0;
  const answer = ask((_, response) => {
    received += 1;
    response.writeHead(403).end();
  });
  await expect(answer).rejects.toThrow(new StatusError("/core/brands/", 403));
  expect(received).toBe(1);
});
