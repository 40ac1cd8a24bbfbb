/** The sessions of outposts, as measured on a real authentik: docs/authentik.md, "Outposts and their sessions". */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  application,
  callback,
  embedded,
  nameOf,
  removeFolders,
  sent,
  signIn,
  standalone,
  valueOf,
} from "./outposts.ts";
import type { Ask } from "./outposts.ts";

afterAll(removeFolders);

const [a, b] = [application("a"), application("b")];
const files = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("session_"));

/** The name of an application's cookie, which every redirect reveals. */
const cookieName = async (ask: Ask, address: string) => nameOf(sent((await ask(address)).cookies));

describe("a standalone outpost", () => {
  test("stores the session in a file that only its own user can read", async () => {
    const { ask, folder } = standalone(a, b);
    const cookie = await signIn(ask, "http://a.localhost/x");
    expect(await ask("http://a.localhost/x", cookie)).toMatchObject({ status: 200, username: "bob" });
    expect(files(folder)).toEqual([expect.stringMatching(/^session_[A-Z2-7]{52}$/)]);
    const file = path.join(folder, files(folder)[0] ?? "");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  });

  test("accepts a cookie under the name of another application of the same outpost", async () => {
    const { ask } = standalone(a, b);
    const cookie = await signIn(ask, "http://a.localhost/");
    const renamed = `${await cookieName(ask, "http://b.localhost/")}=${valueOf(cookie)}`;
    expect(await ask("http://b.localhost/", renamed)).toMatchObject({ status: 200, username: "bob" });
  });

  test("refuses the cookie of another outpost, under any name", async () => {
    const cookie = await signIn(standalone(a).ask, "http://a.localhost/");
    const { ask } = standalone(b);
    const renamed = `${await cookieName(ask, "http://b.localhost/")}=${valueOf(cookie)}`;
    expect(await ask("http://b.localhost/", renamed)).toMatchObject({ status: 302, username: null });
  });

  test("invalidates all cookies when an application with another host is added", async () => {
    const { ask, refresh } = standalone(a);
    const cookie = await signIn(ask, "http://a.localhost/");
    refresh(a);
    expect((await ask("http://a.localhost/", cookie)).status).toBe(200);
    refresh(a, b);
    expect((await ask("http://a.localhost/", cookie)).status).toBe(302);
  });

  test("sets lifetime and Secure of the application constructed last on all cookies", async () => {
    const last = application("c", { external_host: "https://c.localhost", access_token_validity: 60 });
    const { ask } = standalone(a, last);
    const [line = ""] = (await ask("http://a.localhost/")).cookies;
    expect(line).toMatch(/; Path=\/; Expires=[^;]+; Max-Age=61; HttpOnly; Secure; SameSite=Lax$/);
  });

  test("keeps the lifetime of a known host when its provider changes", async () => {
    const { ask, refresh } = standalone(a);
    refresh({ ...a, access_token_validity: 60 });
    expect((await ask("http://a.localhost/")).cookies[0]).toContain("; Max-Age=601;");
  });

  test.each([
    ["an empty value", () => ""],
    ["a bare id", () => "chosen"],
    ["another signature", (value: string) => `${value.slice(0, -20)}${"x".repeat(20)}`],
    ["a null byte", () => "%00"],
    ["a long value", () => "a".repeat(10_000)],
  ])("deletes a cookie with %s, and fails the login that begins with it", async (_, forge) => {
    const { ask } = standalone(a, b);
    const cookie = await signIn(ask, "http://a.localhost/");
    const forged = `${nameOf(cookie)}=${forge(valueOf(cookie))}`;
    const start = await ask("http://a.localhost/", forged);
    expect([start.status, sent(start.cookies)]).toEqual([302, ""]);
    const end = await ask(callback("http://a.localhost/", start.query.get("state")), sent(start.cookies));
    expect([end.status, end.body]).toEqual([400, ""]);
  });

  test("signs out of every application, and fails the next login once", async () => {
    const { ask, folder } = standalone(a, b);
    const cookies = [await signIn(ask, "http://a.localhost/"), await signIn(ask, "http://b.localhost/")];
    const out = await ask("http://a.localhost/outpost.goauthentik.io/sign_out", cookies[0]);
    expect(out.status).toBe(302);
    expect(out.location).toMatch(/^http:\/\/authentik\.localhost\/application\/o\/a\/end-session\/\?id_token_hint=/);
    expect([out.cookies, files(folder)]).toEqual([[], []]);
    const start = await ask("http://a.localhost/", cookies[0]);
    expect([start.status, start.cookies.length, sent(start.cookies)]).toEqual([302, 2, ""]);
    const failed = await ask(callback("http://a.localhost/", start.query.get("state")));
    expect([failed.status, failed.body]).toEqual([400, ""]);
    expect((await ask("http://a.localhost/", await signIn(ask, "http://a.localhost/"))).status).toBe(200);
  });

  test("redirects a sign-out without a session to /start with its own address, and creates a session", async () => {
    const { ask, folder } = standalone(a, b);
    const out = await ask("http://a.localhost/outpost.goauthentik.io/sign_out");
    const rd = encodeURIComponent("http://a.localhost/outpost.goauthentik.io/sign_out");
    expect([out.status, out.location]).toEqual([302, `http://a.localhost/outpost.goauthentik.io/start?rd=${rd}`]);
    expect([files(folder).length, sent(out.cookies)]).toEqual([1, expect.stringMatching(/^authentik_proxy_/)]);
    const through = await ask("http://a.localhost/x?X-authentik-logout=true");
    expect(through.query.get("rd")).toBe("http://a.localhost/outpost.goauthentik.io/auth/traefik");
  });

  test("ends the sessions of one session of authentik, and no other file", async () => {
    const { ask, folder, proxy } = standalone(a, b);
    const first = await signIn(ask, "http://a.localhost/", "one");
    const second = await signIn(ask, "http://b.localhost/", "two");
    writeFileSync(path.join(folder, "session_other"), "another file");
    proxy.endSessions(({ sid }) => sid === "one");
    expect((await ask("http://a.localhost/", first)).status).toBe(302);
    expect((await ask("http://b.localhost/", second)).status).toBe(200);
    expect(files(folder)).toContain("session_other");
  });
});

describe("the embedded outpost", () => {
  test("has the plain session id in its cookie", async () => {
    const { ask, store } = embedded([a, b]);
    const cookie = await signIn(ask, "http://a.localhost/");
    expect(store.list("outpost_session").map(({ pk }) => pk)).toEqual([valueOf(cookie)]);
  });

  test("uses an unknown cookie value as the id of the next session", async () => {
    const { ask, store } = embedded([a, b]);
    const own = sent((await ask("http://a.localhost/")).cookies);
    const chosen = `${nameOf(own)}=chosen`;
    const start = await ask("http://a.localhost/", chosen);
    expect([start.status, start.cookies]).toEqual([302, []]);
    const end = await ask(callback("http://a.localhost/", start.query.get("state")), chosen);
    expect([end.status, valueOf(sent(end.cookies))]).toEqual([302, "chosen"]);
    expect((await ask("http://a.localhost/", chosen)).status).toBe(200);
    expect(store.list("outpost_session").map(({ pk }) => pk)).toEqual([valueOf(own), "chosen"]);
  });

  test("accepts a cookie under the name of another application", async () => {
    const { ask } = embedded([a, b]);
    const cookie = await signIn(ask, "http://a.localhost/");
    const renamed = `${await cookieName(ask, "http://b.localhost/")}=${valueOf(cookie)}`;
    expect(await ask("http://b.localhost/", renamed)).toMatchObject({ status: 200, username: "bob" });
  });

  test("signs a user in again after a sign-out, with the same cookie", async () => {
    const { ask } = embedded([a, b]);
    const cookie = await signIn(ask, "http://a.localhost/");
    expect((await ask("http://a.localhost/outpost.goauthentik.io/sign_out", cookie)).status).toBe(302);
    const start = await ask("http://a.localhost/", cookie);
    const end = await ask(callback("http://a.localhost/", start.query.get("state")), cookie);
    expect([end.status, sent(end.cookies)]).toEqual([302, cookie]);
    expect((await ask("http://a.localhost/", cookie)).status).toBe(200);
  });

  test("sets the lifetime of each application on its cookie", async () => {
    const { ask } = embedded([a, application("c", { access_token_validity: 60 })]);
    expect((await ask("http://a.localhost/")).cookies[0]).toContain("; Max-Age=601;");
  });
});

describe.each([
  ["standalone", () => standalone(a, b).ask],
  ["embedded", () => embedded([a, b]).ask],
])("a callback to the %s outpost", (_, start) => {
  test.each([
    ["no state", async () => Promise.resolve(null)],
    ["a malformed state", async () => Promise.resolve("x.y.z")],
    ["the state of another application", async (ask: Ask) => (await ask("http://b.localhost/")).query.get("state")],
    ["the state of another browser", async (ask: Ask) => (await ask("http://a.localhost/")).query.get("state")],
  ])("gets 400 and an empty body with %s", async (_case, state) => {
    const ask = start();
    const cookie = sent((await ask("http://a.localhost/")).cookies);
    const end = await ask(callback("http://a.localhost/", await state(ask)), cookie);
    expect([end.status, end.body, end.location]).toEqual([400, "", null]);
  });

  test("redirects to the application without a session if the code is refused", async () => {
    const ask = start();
    const begun = await ask("http://a.localhost/x?y=1");
    const cookie = sent(begun.cookies);
    const end = await ask(callback("http://a.localhost/", begun.query.get("state"), ""), cookie);
    expect([end.status, end.location]).toEqual([302, "http://a.localhost/x?y=1"]);
    expect((await ask("http://a.localhost/", cookie)).status).toBe(302);
  });
});
