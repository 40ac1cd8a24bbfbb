import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { embeddedOutpost } from "../../../local/authentik/bootstrap.ts";
import { resources } from "../../../local/authentik/resources.ts";
import type { Resource } from "../../../local/authentik/resources.ts";
import { Store } from "../../../local/authentik/store.ts";
import { save } from "../../../local/authentik/write.ts";
import { blank, other, outpostIn, traefik } from "./outposts.ts";

/** Two applications of one outpost, and the cookie of a session with the first. */
async function signedIn() {
  const store = new Store();
  const ask = outpostIn(store, { external_host: "http://a.localhost" }, other);
  const get = async (host: string, cookie: string, path = "/auth/traefik") =>
    (await ask(path, { ...traefik(host), "x-original-uri": "/", cookie })).status;
  const { answer } = await ask("/auth/traefik", traefik("a.localhost"));
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const pk = cookie.split("=")[1]?.split(".")[0] ?? "";
  const owners = { provider: 1, application: "a1", outpost: "o" };
  store.put("outpost_session", { pk, ...owners, exp: Date.now() / 1000 + 60, idToken: "", claims: { sub: "bob" } });
  expect(await get("a.localhost", cookie)).toBe(200);
  expect(await get("a.localhost", cookie, "/auth/nginx")).toBe(200);
  return { store, get, cookie, pk };
}

describe("a cookie that is not ours is a request without a session", () => {
  test.each([
    ["empty", () => ""],
    ["the bare id", (pk: string) => pk],
    ["a wrong signature", (pk: string) => `${pk}.${"x".repeat(43)}`],
    ["an empty signature", (pk: string) => `${pk}.`],
    ["a longer id", (_: string, value: string) => `x${value}`],
    ["something behind it", (_: string, value: string) => `${value}.x`],
    ["broken encoding", () => "%E0%A4%A"],
    ["a null byte", (_: string, value: string) => `%00${value}`],
    ["quotes", (pk: string) => `"${pk}"`],
    ["JSON", () => "{}"],
    ["very long", () => "a".repeat(10_000)],
  ])("%s", async (_, forge) => {
    const { get, cookie, pk } = await signedIn();
    const [name = "", value = ""] = cookie.split("=");
    const forged = `${name}=${forge(pk, value)}`;
    expect(await get("a.localhost", forged)).toBe(302);
    expect(await get("a.localhost", forged, "/auth/nginx")).toBe(401);
  });

  test("the cookie of another application, under its own name and under the right one", async () => {
    const { get, cookie } = await signedIn();
    expect(await get("b.localhost", cookie)).toBe(302);
    const name = `authentik_proxy_${createHash("sha256").update("client2").digest("hex").slice(0, 8)}`;
    expect(await get("b.localhost", `${name}=${cookie.split("=")[1] ?? ""}`)).toBe(302);
  });
});

describe("what is removed stops at once, and its sessions do not come back", () => {
  const outpostFields = { pk: "o", name: "embedded", managed: embeddedOutpost, config: {} };

  test.each([
    ["the provider", (store: Store) => store.remove("provider", 1), "provider"],
    ["the application", (store: Store) => store.remove("application", "a1"), "application"],
  ] as const)("%s", async (_, remove, kind) => {
    const { store, get, cookie } = await signedIn();
    const before = kind === "provider" ? store.get("provider", 1) : store.get("application", "a1");
    const embedded = store.get("outpost", "o");
    remove(store);
    // `b` is alone now, and a single provider gets every host.
    expect(await get("a.localhost", cookie)).toBe(302);
    expect(store.list("outpost_session")).toEqual([]);
    store.put(kind, before as never);
    store.put("application", { ...store.get("application", "a1"), provider: 1 } as never);
    store.put("outpost", embedded as never);
    expect(await get("a.localhost", cookie)).toBe(302);
  });

  test("a provider taken from its outpost", async () => {
    const { store, get, cookie } = await signedIn();
    const world = { store, secretKey: "test" };
    const resource = resources.find(({ kind }) => kind === "outpost") as Resource;
    const set = (providers: number[]) =>
      save(world, resource, { ...outpostFields, ...store.get("outpost", "o") }, { providers }, true);
    set([2]);
    expect(store.list("outpost_session")).toEqual([]);
    set([1, 2]);
    expect(await get("a.localhost", cookie)).toBe(302);
  });
});

describe("outposts of their own", () => {
  const store = new Store();
  const ask = outpostIn(store, { external_host: "http://a.localhost" }, other);
  store.put("provider", {
    ...blank,
    pk: 3,
    name: "c",
    client_id: "client3",
    external_host: "http://c.localhost",
  } as never);
  store.put("provider", {
    ...blank,
    pk: 4,
    name: "d",
    client_id: "client4",
    external_host: "http://d.localhost",
  } as never);
  store.put("application", { pk: "a3", name: "c", slug: "c", provider: 3, policy_engine_mode: "any" });
  store.put("application", { pk: "a4", name: "d", slug: "d", provider: 4, policy_engine_mode: "any" });
  const config = { authentik_host: "http://authentik.localhost" };
  store.put("outpost", { pk: "11-22", name: "own", providers: [3, 4], config, managed: null });
  store.put("user", { pk: 1, username: "ak-outpost-1122" } as never);
  store.put("token", { pk: "t", identifier: "t", user: 1, intent: "api", key: "k", expiring: false, expires: null });
  const forward = (host: string, key: string) =>
    ask("/auth/traefik", { ...traefik(host), "x-stand-in-outpost-token": key });

  test("are named by their token, and each serves its own hosts alone", async () => {
    expect(await forward("c.localhost", "k")).toMatchObject({ status: 302, client: "client3" });
    expect(await forward("a.localhost", "k")).toMatchObject({ status: 400 });
    expect(await ask("/auth/traefik", traefik("c.localhost"))).toMatchObject({ status: 400 });
    expect(await forward("c.localhost", "wrong")).toMatchObject({ status: 400 });
  });

  test("a ping tells the process whether its token is known", async () => {
    const ping = async (headers: Record<string, string>) => (await ask("/ping", headers)).status;
    expect(await ping({})).toBe(204);
    expect(await ping({ "x-stand-in-outpost-token": "k" })).toBe(204);
    expect(await ping({ "x-stand-in-outpost-token": "wrong" })).toBe(403);
  });
});
