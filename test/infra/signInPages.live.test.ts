import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../local/platform/ports.ts";
import { samples } from "../helpers/full.ts";

const SERVER = join(import.meta.dirname, "../../infra/identity/signInPages/server.mjs");

let server: ChildProcess;
let port: number;
let origin: string;

beforeAll(async () => {
  port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env["PATH"], PORT: String(port), HOST: "127.0.0.1" };
  server = spawn(process.execPath, [SERVER], { env, stdio: "inherit" });
  while (!(await fetch(`${origin}/healthz`).catch(() => undefined))?.ok) await pause(50);
}, 60_000);
afterAll(async () => {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

/** A state as an outpost signs it: a JWT whose payload has the wanted address. */
function stateOf(payload: unknown): string {
  return ["header", Buffer.from(JSON.stringify(payload)).toString("base64url"), "signature"].join(".");
}

/** The page for a failed callback with this state. */
async function errorPage(state: string): Promise<{ response: Response; html: string }> {
  const callback = `/outpost.goauthentik.io/callback?code=c0de&state=${encodeURIComponent(state)}`;
  const response = await fetch(`${origin}/sign-in-error?url=${encodeURIComponent(callback)}`);
  return { response, html: await response.text() };
}

/** The target of the page's link, unescaped. */
function linkOf(html: string): string {
  const href = /<a href="([^"]*)"/.exec(html)?.[1] ?? "";
  return href.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

const linkFor = async (redirect: unknown) => linkOf((await errorPage(stateOf({ redirect }))).html);

describe("the page for a failed sign-in", () => {
  test.each([
    ["https://wiki.example.org/pages/1?edit=1&tab=history", "/pages/1?edit=1&tab=history"],
    ["http://wiki.localhost:8080/a%20b/%C3%B8", "/a%20b/%C3%B8"],
    ["https://wiki.example.org", "/"],
    ["https://wiki.example.org/page#section", "/page"],
  ])("links to the path of %s", async (redirect, link) => {
    expect(await linkFor(redirect)).toBe(link);
  });

  test("accepts a callback as a whole URL", async () => {
    const callback = `https://wiki.example.org/outpost.goauthentik.io/callback?state=${stateOf({ redirect: "https://wiki.example.org/page" })}`;
    const response = await fetch(`${origin}/sign-in-error?url=${encodeURIComponent(callback)}`);
    expect(linkOf(await response.text())).toBe("/page");
  });

  test.each([
    ["another host", "https://wiki.example.org//evil.example"],
    ["another host by backslashes", "https://wiki.example.org/\\evil.example"],
    ["another scheme", "x:https://evil.example/"],
    ["another scheme with backslashes", "x:/\\evil.example"],
    ["a script", "x:javascript:alert(1)"],
    ["data", "data:text/html,<script>alert(1)</script>"],
    ["the outpost itself", "https://wiki.example.org/outpost.goauthentik.io/sign_out"],
    ["no URL", "/relative"],
    ["no text", 7],
  ])("links to / instead of %s", async (_, redirect) => {
    expect(await linkFor(redirect)).toBe("/");
  });

  test.each(["", "x", "a.b.c", `a.${Buffer.from("{").toString("base64url")}.c`, "a.bnVsbA.c", ".".repeat(50)])(
    "links to / for the state %j",
    async (state) => {
      expect(linkOf((await errorPage(state)).html)).toBe("/");
    },
  );

  test("links to the path on its own host when the state has a foreign one", async () => {
    expect(await linkFor("https://evil.example/phishing")).toBe("/phishing");
  });

  test("has a link on its own host for any redirect, and reflects no markup", async () => {
    const text = fc.array(
      fc.constantFrom("/", "\\", '"', "<", ">", "'", "&", ":", "//", "x", "https:", " ", "\n", "?"),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (pieces, absolute) => {
        const redirect = `${absolute ? "https://wiki.example.org/" : ""}${pieces.join("")}`;
        const { html } = await errorPage(stateOf({ redirect }));
        const link = linkOf(html);
        for (const base of ["https://wiki.example.org/", "http://wiki.localhost/"]) {
          expect(new URL(link, base).origin).toBe(new URL(base).origin);
        }
        expect(html.match(/<[a-z!/]+/g)).toEqual((await page()).match(/<[a-z!/]+/g));
      }),
      { ...samples(60), examples: [[['"', "><", "x"], true]] },
    );
  });

  /** The page for a redirect without special characters. */
  let plain: string | undefined;
  const page = async () => (plain ??= (await errorPage(stateOf({ redirect: "https://wiki.example.org/" }))).html);

  test("escapes the path in the link", async () => {
    const { html } = await errorPage(stateOf({ redirect: "https://wiki.example.org/?q='\"<b>&x=1" }));
    expect(html).toContain('<a href="/?q=%27%22%3Cb%3E&amp;x=1">');
    expect(html).not.toContain("<b>");
  });

  test("does not redirect, and sets no cookie", async () => {
    const { response, html } = await errorPage(stateOf({ redirect: "https://wiki.example.org/page" }));
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
    expect(html).not.toContain("http-equiv");
  });
});

test("links to the application on the page after a sign-out without a session", async () => {
  const response = await fetch(`${origin}/outpost.goauthentik.io/start?rd=%2Foutpost.goauthentik.io%2Fsign_out`);
  const html = await response.text();
  expect([response.status, html.includes("You are signed out"), linkOf(html)]).toEqual([200, true, "/"]);
  expect(html).not.toContain("http-equiv");
});

test.each(["/sign-in-error?url=x", "/outpost.goauthentik.io/start"])(
  "%s is never stored, embedded or run as a script",
  async (path) => {
    const { headers } = await fetch(origin + path);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  },
);

test.each(["/", "/sign-in-error/x", "/outpost.goauthentik.io/callback"])("returns 404 for %s", async (path) => {
  expect((await fetch(origin + path)).status).toBe(404);
});

test("keeps running after a request target that is no URL", async () => {
  const response = await new Promise<string>((resolve) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("GET //[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"),
    );
    let text = "";
    socket.on("data", (data) => (text += String(data))).once("close", () => resolve(text));
  });
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
});
