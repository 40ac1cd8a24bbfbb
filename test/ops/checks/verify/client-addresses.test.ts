import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { checkClientAddresses } from "../../../../ops/checks/verify/cluster.ts";
import { shell, stack } from "../../../config/stacks.ts";

const settings = parseStack(stack({}), shell);
const name = "client addresses of domain edge";
const hint = "list the addresses of the proxies in --entryPoints.web.forwardedHeaders.trustedIPs";
const unreadable = "the arguments of Traefik's pods are not readable, or state no entry point";
const ENTRY_POINT = "--entryPoints.web.address=:8000";

const found = (args: readonly string[]) =>
  checkClientAddresses(settings, "edge", {
    version: "3.7.13",
    args,
    forwardAuthFields: undefined,
    weightedFields: undefined,
  });

test("passes when Traefik trusts proxies, and names them", () => {
  expect(found([ENTRY_POINT, "--entryPoints.web.forwardedHeaders.trustedIPs=10.0.0.0/8,192.0.2.1"])).toEqual({
    ...{ name, ok: true },
    detail: "from X-Forwarded-For of 10.0.0.0/8, 192.0.2.1",
  });
});

test("fails when Traefik trusts no proxy", () => {
  const detail = "Traefik trusts no proxy, so that all clients share one rate limit";
  expect(found([ENTRY_POINT])).toEqual({ name, ok: false, detail, hint });
});

test("fails when Traefik trusts every sender", () => {
  const option = "--entryPoints.web.forwardedHeaders.insecure";
  const detail = `Traefik trusts the X-Forwarded-For header of every sender (${option}), so that a client can choose its address`;
  expect(found([ENTRY_POINT, option])).toEqual({ name, ok: false, detail, hint });
});

test("is skipped when Traefik's arguments state no entry point, and when no pod of Traefik is readable", () => {
  const skipped = { name, ok: true, skipped: true, detail: unreadable, hint };
  expect(found(["--configFile=/etc/traefik.yaml"])).toEqual(skipped);
  expect(checkClientAddresses(settings, "edge", undefined)).toEqual(skipped);
});
