/** Hosts without a route, at a server that accepts TLS connections to its own name only, as Tailscale's proxies do. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { checkNotRouted } from "../../../../ops/checks/verify/unrouted.ts";
import { newAuthority } from "../../../helpers/certificates.ts";

const HOST = "wiki.localhost";
const { certificate: cert, key } = newAuthority(HOST);
const UPSTREAM = { termination: "upstream" } as const;

/** @returns the check of a host without a route, and the hosts of the requests */
async function checked(status: number, tls?: typeof UPSTREAM) {
  const hosts: (string | undefined)[] = [];
  const context = createSecureContext({ cert, key });
  const server = createServer(
    {
      SNICallback: (name, done) => (name === HOST ? done(null, context) : done(new Error(`no certificate of ${name}`))),
    },
    ({ headers }, response) => {
      hosts.push(headers.host);
      response.writeHead(status).end();
    },
  ).on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `https://${HOST}:${(server.address() as AddressInfo).port}`;
  const { ok, detail } = await checkNotRouted({ host: HOST, url, tls }, "off.example.org");
  return { ok, detail, hosts };
}

const hosts = ["off.example.org"];

test("passes for a 404 and a 421 of a proxy in front of the gateway, which it connects to by the name of the exposure", async () => {
  expect(await checked(404, UPSTREAM)).toEqual({ ok: true, detail: "404", hosts });
  expect(await checked(421, UPSTREAM)).toEqual({ ok: true, detail: "421", hosts });
});

test("fails for any other status", async () => {
  expect(await checked(403, UPSTREAM)).toEqual({ ok: false, detail: "expected the gateway's own 404, got 403", hosts });
});
