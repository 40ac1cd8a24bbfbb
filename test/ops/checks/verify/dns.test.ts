import { expect, test } from "vitest";
import { checkName } from "../../../../ops/checks/verify/dns.ts";
import type { Resolve } from "../../../../ops/clients/dns.ts";

const zone: Readonly<Record<string, readonly string[]>> = {
  "whoami.example.org": ["203.0.113.7"],
  "both.example.org": ["203.0.113.7", "2001:db8:0:0::7"],
  "stray.example.org": ["203.0.113.7", "198.51.100.1"],
  "gateway.example.net": ["203.0.113.7"],
};
const ask: Resolve = (name) => {
  const found = zone[name];
  return found ? Promise.resolve(found) : Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
};
const resolves = async (host: string, ...targets: string[]) => {
  const { ok, detail } = await checkName(host, { targets }, ask);
  return { ok, detail };
};

test("passes for a name that resolves to the targets of its domain, addresses or names", async () => {
  expect(await resolves("whoami.example.org", "203.0.113.7")).toEqual({ ok: true, detail: "203.0.113.7" });
  expect(await resolves("whoami.example.org", "gateway.example.net")).toEqual({ ok: true, detail: "203.0.113.7" });
});

test("passes for another spelling of an IPv6 target", async () => {
  expect(await resolves("both.example.org", "203.0.113.7", "2001:db8::7")).toEqual({
    ok: true,
    detail: "203.0.113.7, 2001:db8:0:0::7",
  });
});

test("fails for an address that is not a target", async () => {
  expect(await resolves("stray.example.org", "203.0.113.7")).toEqual({
    ok: false,
    detail: "expected the targets 203.0.113.7, got 203.0.113.7, 198.51.100.1",
  });
});

test("fails for a target address without a record, unless records are still to be created", async () => {
  const targets = ["203.0.113.7", "2001:db8::7"];
  expect(await resolves("whoami.example.org", ...targets)).toEqual({
    ok: false,
    detail: "expected the targets 203.0.113.7, 2001:db8::7, got 203.0.113.7",
  });
  expect(await checkName("whoami.example.org", { targets }, ask, false)).toMatchObject({
    ok: true,
    detail: "203.0.113.7",
  });
});

test("passes for some of the addresses of a target's name, which a name server may return in turn", async () => {
  expect(await resolves("whoami.example.org", "both.example.org")).toEqual({ ok: true, detail: "203.0.113.7" });
});

test("fails for a name, or a target, that does not exist", async () => {
  expect(await resolves("gone.example.org", "203.0.113.7")).toEqual({
    ok: false,
    detail: "expected addresses of gone.example.org, got none: the name does not exist",
  });
  expect(await resolves("whoami.example.org", "gone.example.net")).toEqual({
    ok: false,
    detail: "expected addresses of gone.example.net, got none: the name does not exist",
  });
});

test("passes for any address of a domain without targets, and resolves localhost to loopback", async () => {
  expect(await resolves("whoami.example.org")).toEqual({ ok: true, detail: "203.0.113.7" });
  expect(await checkName("whoami.localhost", { targets: [] })).toEqual({
    name: "whoami.localhost resolves",
    ok: true,
    detail: "127.0.0.1",
  });
});
