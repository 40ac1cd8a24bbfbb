/** Hosts without a route, at servers that accept TLS connections to their own names only, as Tailscale's proxies and Traefik with sniStrict do. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { checkNotRouted } from "../../../../ops/checks/verify/unrouted.ts";
import { freePort } from "../../../../local/platform/ports.ts";
import { issue, newAuthority } from "../../../helpers/certificates.ts";
import { startTraefik } from "../../../helpers/traefik.ts";

const HOST = "wiki.localhost";
const { certificate: cert, key } = issue(newAuthority("Test CA"), `DNS:${HOST}`);
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

test("distinguishes Traefik's own 404 on HTTPS with sniStrict from a route", async () => {
  const port = await freePort();
  const route = (host: string) => ({
    rule: `Host(\`${host}\`)`,
    service: "ping@internal",
    entryPoints: ["websecure"],
    tls: {},
  });
  const traefik = await startTraefik(
    { websecure: { address: `127.0.0.1:${port}` } },
    { routers: { own: route(HOST), left: route("left.example.org") } },
    { certificates: [{ certFile: cert, keyFile: key }], options: { default: { sniStrict: true } } },
  );
  onTestFinished(traefik.stop);
  const gateway = { host: HOST, url: `https://${HOST}:${port}`, tls: undefined };
  const checks = await Promise.all(
    ["off.example.org", "left.example.org"].map((host) => checkNotRouted(gateway, host)),
  );
  expect(checks.map(({ ok, detail }) => ({ ok, detail }))).toEqual([
    { ok: true, detail: "404" },
    { ok: false, detail: "expected the gateway's own 404, got 200" },
  ]);
});
