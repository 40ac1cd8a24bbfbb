/** Hosts without a route: which exposures are asked, and which responses pass. */
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ExpectedExposure } from "../../../../infra/verification/target.ts";
import { checkNotRouted, unroutedProbes } from "../../../../ops/checks/verify/unrouted.ts";

const GATEWAY = ["Content-Type: text/plain; charset=utf-8", "X-Content-Type-Options: nosniff", "Date: now"];
const APPLICATION = GATEWAY.toReversed();
const NOT_FOUND = "404 page not found\n";

/** Checks a host without a route at a server with this response. */
async function checked(status: number, headers: readonly string[], body: string, tls?: object) {
  const lines = [`HTTP/1.1 ${status} Status`, ...headers, `Content-Length: ${body.length}`, "", body];
  const server = createServer((socket) => {
    socket.on("data", () => void socket.write(lines.join("\r\n"))).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://wiki.localhost:${(server.address() as AddressInfo).port}`;
  const { ok, detail } = await checkNotRouted(
    { host: "wiki.localhost", url, tls } as ExpectedExposure,
    "off.example.org",
  );
  return { ok, detail };
}

test("passes for the gateway's own 404, also if a proxy added a header", async () => {
  expect(await checked(404, GATEWAY, NOT_FOUND)).toEqual({ ok: true, detail: "404" });
  expect(await checked(404, ["Via: proxy", ...GATEWAY], NOT_FOUND)).toEqual({ ok: true, detail: "404" });
});

test("passes for a 404 of the gateway through a proxy in Go, which orders its headers, and for a 421", async () => {
  const upstream = { termination: "upstream" };
  expect(await checked(404, APPLICATION, NOT_FOUND, upstream)).toEqual({ ok: true, detail: "404" });
  expect(await checked(421, [], "", upstream)).toEqual({ ok: true, detail: "421" });
});

test.each([
  ["another text", 404, GATEWAY, "no such page"],
  ["the text and the headers of an application in Go", 404, APPLICATION, NOT_FOUND],
  ["a host with a route that has other TLS options", 421, [], ""],
  ["a page", 200, GATEWAY, "hello"],
] as const)("fails for a response of an application: %s", async (_, status, headers, body) => {
  expect(await checked(status, headers, body)).toEqual({
    ok: false,
    detail: `expected the gateway's own 404, got ${status}`,
  });
});

/** Returns the exposures that an unknown host is asked at, of exposures with these protocols. */
async function asked(exposures: readonly { readonly url: string; readonly tls?: object }[]): Promise<string[]> {
  const probes = unroutedProbes({ disabled: [], exposures: exposures as ExpectedExposure[] });
  const checks = await Promise.all(probes.map(({ run }) => run()));
  return checks.flat().map(({ name }) => name.replace("gatehouse-unknown.invalid is not routed at ", ""));
}

test("asks an exposure of each entry point, and one behind a proxy only if there is no other one on HTTP", async () => {
  const proxied = { url: "https://mesh.localhost:1", tls: { termination: "upstream" } };
  const https = { url: "https://external.localhost:1", tls: { termination: "secret", secret: "wildcard" } };
  const http = { url: "http://wiki.localhost:1" };
  expect(await asked([proxied, https, http])).toEqual([http.url, https.url]);
  expect(await asked([proxied, https])).toEqual([proxied.url, https.url]);
  expect(await asked([https])).toEqual([https.url]);
  expect(await asked([])).toEqual([]);
});
