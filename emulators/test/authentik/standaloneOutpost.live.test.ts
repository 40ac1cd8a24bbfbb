import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import { call, deploy, origin, served, signIn, start, waiting } from "./deployment.ts";
import type { Json } from "./deployment.ts";

const program = path.resolve(import.meta.dirname, "../../authentik/main.ts");
/** Path of a real `ak`, whose outpost is run in place of the emulator's: every test here passes with it, too. */
const real = process.env["GATEHOUSE_REAL_AUTHENTIK"];
const browserHost = "http://login.localhost";
const processes: ChildProcess[] = [];
const folders: string[] = [];
let authentik: Authentik;
let outpost: Json;
let standalone: Process;

const api = (method: string, path: string, body?: Json) => call(authentik.url, method, path, body);
const list = async (path: string) => (await api("GET", path))["results"] as Json[];

type Process = { url: string; output: () => string; folder: string; exit: Promise<unknown[]> };

/** Starts an outpost's process, with its own folder for sessions. */
async function startProxy(token: string, browser = browserHost): Promise<Process> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  const settings = {
    LISTEN__HTTP: `127.0.0.1:${port}`,
    HOST: authentik.url,
    HOST_BROWSER: browser,
    TOKEN: token,
    ...(real ? { LISTEN__HTTPS: "127.0.0.1:0", LISTEN__METRICS: "127.0.0.1:0" } : {}),
  };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`AUTHENTIK_${name}`, value]));
  const folder = mkdtempSync(path.join(tmpdir(), "gatehouse-outpost-"));
  folders.push(folder);
  const [command = "", ...args] = real ? [real, "proxy"] : [process.execPath, program, "proxy"];
  const child = spawn(command, args, { env: { ...process.env, ...env, TMPDIR: folder } });
  processes.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  return { url: `http://127.0.0.1:${port}`, output: () => output, folder, exit: once(child, "exit") };
}

const status = (url: string) =>
  fetch(`${url}/outpost.goauthentik.io/ping`).then(
    (answer) => answer.status,
    () => undefined,
  );

/** Another protected application, not attached to any outpost. */
async function provider(name: string, isAssigned = true): Promise<unknown> {
  const { authorization_flow, invalidation_flow } = (await list("/providers/proxy/"))[0] ?? {};
  const external_host = `http://${name}.localhost`;
  const body = { name, external_host, mode: "forward_single", authorization_flow, invalidation_flow };
  const { pk } = await api("POST", "/providers/proxy/", body);
  if (isAssigned) await api("POST", "/core/applications/", { name, slug: name, provider: pk });
  return pk;
}

function forward(url: string, host: string, path = "auth/traefik"): Promise<Response> {
  const headers = { "x-forwarded-proto": "http", "x-forwarded-host": host, "x-forwarded-uri": "/" };
  return fetch(`${url}/outpost.goauthentik.io/${path}`, { headers, redirect: "manual" });
}

const key = async () =>
  (await api("GET", `/core/tokens/${String(outpost["token_identifier"])}/view_key/`))["key"] as string;
const statusOf = async (url: string, host: string) => (await forward(url, host)).status;
const files = () => readdirSync(standalone.folder).filter((name) => name.startsWith("session_"));

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
  outpost = await api("POST", "/outposts/instances/", {
    name: "standalone",
    type: "proxy",
    service_connection: null,
    config: { authentik_host: origin },
    providers: [await provider("one"), await provider("two")],
  });
  standalone = await startProxy(await key());
  await vi.waitFor(async () => expect(await status(standalone.url)).toBe(204), waiting);
});
afterAll(async () => {
  await Promise.all(
    processes.map((child) => {
      const exited = child.exitCode !== null || child.signalCode !== null;
      const exit = exited ? Promise.resolve() : once(child, "exit").then(() => undefined);
      child.kill();
      return exit;
    }),
  );
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await authentik.close();
});

test("serves the providers of its own outpost only", async () => {
  const statuses = (url: string) =>
    Promise.all(["one", "two", "closed", "unplanned"].map((name) => statusOf(url, `${name}.localhost`)));
  expect(await statuses(standalone.url)).toEqual([302, 302, 400, 400]);
  expect(await statuses(authentik.url)).toEqual([404, 404, 302, 404]);
  const unknown = await forward(standalone.url, "closed.localhost");
  expect(await unknown.json()).toMatchObject({ Message: "no app for hostname", Host: "closed.localhost" });
});

test("redirects browsers to AUTHENTIK_HOST_BROWSER, and stores their sessions in files", async () => {
  const own = await forward(standalone.url, "one.localhost");
  expect(own.headers.get("location")).toMatch(/^http:\/\/login\.localhost\/application\/o\/authorize\/\?/);
  const before = files().length;
  const browser = new Browser(authentik.url, ["one.localhost", "two.localhost"], standalone.url);
  const { url, answer } = await signIn(browser, "http://one.localhost/x?y=1");
  expect([url, answer.status, files().length]).toEqual(["http://one.localhost/x?y=1", 200, before + 1]);
  const headers = ["x-authentik-username", "x-authentik-name", "x-authentik-meta-outpost"];
  const values = headers.map((name) => Buffer.from(answer.headers.get(name) ?? "", "latin1").toString());
  expect(values).toEqual(["bob", "Bø Å", "standalone"]);
});

test("signs a user out of the outpost, and of authentik when the browser has run the flow; the next login fails once", async () => {
  const browser = new Browser(authentik.url, ["one.localhost", "two.localhost"], standalone.url);
  await signIn(browser, "http://one.localhost/");
  await browser.follow("http://two.localhost/");
  const { url } = await browser.follow("http://one.localhost/?X-authentik-logout=true");
  expect(url).toMatch(/^http:\/\/login\.localhost\/if\/flow\/default-invalidation-flow\/\?id_token_hint=/);
  expect(await browser.runFlow(url, [])).toMatchObject({ component: "xak-flow-redirect", to: "/" });
  expect((await browser.request("http://two.localhost/")).status).toBe(302);
  const failed = await signIn(browser, "http://one.localhost/");
  expect([failed.answer.status, await failed.answer.text()]).toEqual([400, ""]);
  const { answer } = await browser.follow("http://one.localhost/");
  expect([answer.status, answer.headers.get("x-authentik-username")]).toEqual([200, "bob"]);
});

test("ends sessions with a delay after a sign-out from authentik", async () => {
  const browser = new Browser(authentik.url, ["one.localhost"], standalone.url);
  await signIn(browser, "http://one.localhost/");
  await browser.runFlow("http://login.localhost/if/flow/default-invalidation-flow/", []);
  expect((await browser.request("http://one.localhost/")).status).toBe(200);
  await expect.poll(async () => (await browser.request("http://one.localhost/")).status, waiting).toBe(302);
});

test("serves an added provider with a delay, which invalidates all sessions, and a removed one until the next update", async () => {
  const browser = new Browser(authentik.url, ["one.localhost"], standalone.url);
  await signIn(browser, "http://one.localhost/");
  const path = `/outposts/instances/${String(outpost["pk"])}/`;
  const before = outpost["providers"] as unknown[];
  const three = await provider("three");
  await api("PATCH", path, { providers: [...before, three] });
  expect(await statusOf(standalone.url, "three.localhost")).toBe(400);
  await expect.poll(() => statusOf(standalone.url, "three.localhost"), waiting).toBe(302);
  expect((await browser.request("http://one.localhost/")).status).toBe(302);
  await api("PATCH", path, { providers: before });
  expect(await statusOf(standalone.url, "three.localhost")).toBe(302);
  await expect.poll(() => statusOf(standalone.url, "three.localhost"), waiting).toBe(400);
});

test("redirects browsers to AUTHENTIK_HOST without AUTHENTIK_HOST_BROWSER", async () => {
  const { url } = await startProxy(await key(), "");
  await expect.poll(() => status(url), waiting).toBe(204);
  const location = (await forward(url, "one.localhost")).headers.get("location") ?? "";
  expect(new URL(location).origin).toBe(authentik.url);
});

test("retries while authentik refuses the token, or while its account has no permission to view outposts", async () => {
  const robot = await api("POST", "/core/users/", { username: "robot", name: "Robot", type: "service_account" });
  await api("POST", "/core/tokens/", { identifier: "robot", user: robot["pk"], intent: "api", expiring: false });
  const key = (await api("GET", "/core/tokens/robot/view_key/"))["key"] as string;
  for (const token of ["unknown", key]) {
    const refused = await startProxy(token);
    await expect.poll(refused.output, waiting).toContain("Failed to fetch outpost configuration, retrying");
    expect(await status(refused.url)).toBeUndefined();
  }
});

test("receives a new application or a deleted provider only with the next change of its outpost", async () => {
  const path = `/outposts/instances/${String(outpost["pk"])}/`;
  const before = outpost["providers"] as unknown[];
  const [late, deleted] = [await provider("late", false), await provider("deleted")];
  await api("PATCH", path, { providers: [...before, late, deleted] });
  await expect.poll(() => statusOf(standalone.url, "deleted.localhost"), waiting).toBe(302);
  await api("POST", "/core/applications/", { name: "late", slug: "late", provider: late });
  await api("DELETE", `/providers/proxy/${String(deleted)}/`);
  await expect(served(standalone.url, "late.localhost", 4000)).rejects.toThrow();
  expect(await statusOf(standalone.url, "deleted.localhost")).toBe(302);
  await api("PATCH", path, { providers: [...before, late] });
  await served(standalone.url, "late.localhost");
  expect(await statusOf(standalone.url, "deleted.localhost")).toBe(400);
  await api("PATCH", path, { providers: before });
  await expect.poll(() => statusOf(standalone.url, "late.localhost"), waiting).toBe(400);
});

test("exits when its new config has no authentik_host", async () => {
  const own = await provider("own");
  const sent = { name: "own", type: "proxy", service_connection: null, config: { authentik_host: origin } };
  const { pk, token_identifier } = await api("POST", "/outposts/instances/", { ...sent, providers: [own] });
  const { key: token } = await api("GET", `/core/tokens/${String(token_identifier)}/view_key/`);
  const { url, exit } = await startProxy(token as string);
  await expect.poll(() => status(url), waiting).toBe(204);
  await api("PATCH", `/outposts/instances/${String(pk)}/`, { config: { log_level: "debug" } });
  expect(await exit).toEqual([2, null]);
});

test("continues to serve after its token was deleted", async () => {
  await api("DELETE", `/core/tokens/${String(outpost["token_identifier"])}/`);
  expect(await statusOf(standalone.url, "one.localhost")).toBe(302);
});
