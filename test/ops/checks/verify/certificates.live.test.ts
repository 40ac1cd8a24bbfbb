/** Certificates as a browser judges them, on a TLS server of this machine. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "../../../../emulators/authentik/certificate.ts";
import { checkCertificate } from "../../../../ops/checks/verify/certificates.ts";

const HOST = "whoami.certificate.localhost";
const DAY_MS = 86_400_000;
const authorities = getCACertificates("default");
const servers: Server[] = [];
let trusted: number;
let untrusted: number;

async function serve(name: string, trust: boolean): Promise<number> {
  const { certificate_data: cert, key_data: key } = selfSigned(name);
  if (trust) setDefaultCACertificates([...getCACertificates("default"), cert]);
  const server = createServer({ cert, key }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  trusted = await serve(HOST, true);
  untrusted = await serve(HOST, false);
});
afterAll(() => {
  setDefaultCACertificates(authorities);
  for (const server of servers) server.close();
});

async function checkOf(host: string, port: number, now = new Date()) {
  const expiries: Date[] = [];
  const exposure = { host, url: `https://${host}:${port}` };
  const { ok, detail } = await checkCertificate(exposure, (expires) => void expiries.push(expires), now);
  return { ok, detail, expiries };
}

test("passes for a trusted certificate of the host, and reports its expiry", async () => {
  const { ok, detail, expiries } = await checkOf(HOST, trusted);
  expect({ ok, detail }).toEqual({ ok: true, detail: "trusted, 364 days left" });
  expect(expiries.map((expires) => Math.round((expires.getTime() - Date.now()) / DAY_MS))).toEqual([365]);
});

test("fails for a certificate without a trusted authority", async () => {
  const { ok, detail, expiries } = await checkOf(HOST, untrusted);
  expect({ ok, detail, expiries: expiries.length }).toEqual({
    ok: false,
    detail: "expected a trusted chain, got DEPTH_ZERO_SELF_SIGNED_CERT",
    expiries: 1,
  });
});

test("fails for a certificate of another host", async () => {
  const { ok, detail } = await checkOf("other.certificate.localhost", trusted);
  const seen = `one for CN=${HOST}`;
  expect({ ok, detail }).toEqual({
    ok: false,
    detail: `expected a certificate for other.certificate.localhost, got ${seen}`,
  });
});

test("fails for a certificate that expires within a week", async () => {
  const { ok, detail } = await checkOf(HOST, trusted, new Date(Date.now() + 360 * DAY_MS));
  expect({ ok, detail }).toEqual({ ok: false, detail: "expected at least 7 days left, got 4" });
});

test("fails if no server answers", async () => {
  const { ok, detail, expiries } = await checkOf(HOST, 1);
  expect({ ok, detail, expiries }).toEqual({ ok: false, detail: "connect ECONNREFUSED 127.0.0.1:1", expiries: [] });
});
