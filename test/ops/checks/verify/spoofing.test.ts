/** Forged identity headers at the echo service, and at servers that are not it. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { checkSpoofing } from "../../../../ops/checks/verify/gateway.ts";
import { checkBasic } from "../../../../ops/checks/verify/signInChecks.ts";

async function serve(listener: RequestListener): Promise<Exposure> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://whoami-public.localhost:${(server.address() as AddressInfo).port}` } as Exposure;
}

/** Returns the text of the echo service for a request, with some of its headers. */
function echoOf(url: string | undefined, headers: readonly string[] = []): string {
  return ["Hostname: whoami", `GET ${url} HTTP/1.1`, ...headers, ""].join("\n");
}

test("sends every spelling, at most 50 in a request", async () => {
  const counts: number[] = [];
  const names = new Set<string>();
  const exposure = await serve(({ url, headers }, response) => {
    const found = Object.keys(headers).filter((name) => headers[name] === "forged");
    counts.push(found.length);
    for (const name of found) names.add(name);
    response.end(echoOf(url));
  });
  expect(await checkSpoofing(exposure)).toMatchObject({ ok: true, detail: "none of 122 spellings arrived" });
  expect([counts, names.size]).toEqual([[50, 50, 22], 122]);
});

test("fails when one spelling arrives", async () => {
  const exposure = await serve(({ url, headers }, response) => {
    response.end(echoOf(url, headers["x.idp_jwt"] === undefined ? [] : ["x.idp_jwt: forged"]));
  });
  expect(await checkSpoofing(exposure)).toMatchObject({
    ok: false,
    detail: 'expected forged headers that arrived [], got ["x.idp_jwt"]',
  });
});

test.each([
  ["a refusal of so many headers", 431, "", "expected status 200, got 431"],
  ["another application", 200, "<h1>Welcome</h1>", 'expected path at the echo service "/", got undefined'],
])("fails for %s", async (_, status, body, detail) => {
  const exposure = await serve((_, response) => response.writeHead(status).end(body));
  expect(await checkSpoofing(exposure)).toMatchObject({ ok: false, detail });
});

test("fails for the sign-in to an application that should be the echo service", async () => {
  const exposure = await serve((_, response) => response.end("x-idp-username: ops"));
  expect(await checkBasic(exposure, { username: "ops", password: "correct horse" }, true)).toMatchObject({
    ok: false,
    detail: 'expected path at the echo service "/x?y=1", got undefined',
  });
});
