import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Authentik } from "../../../local/authentik/server.ts";
import { Browser } from "./browser.ts";
import { call, deploy, origin, signIn, start } from "./deployment.ts";
import type { Json } from "./deployment.ts";

const program = path.resolve(import.meta.dirname, "../../../local/authentik/main.ts");
const browserHost = "http://login.localhost";
const processes: ChildProcess[] = [];
let authentik: Authentik;
let outpost: Json;
let dedicated: string;

const api = (method: string, path: string, body?: Json) => call(authentik.url, method, path, body);
const list = async (path: string) => (await api("GET", path))["results"] as Json[];

/** Starts an outpost's process and gives its address and what it says. */
async function startProxy(token: string, browser = browserHost): Promise<{ url: string; said: () => string }> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  const settings = { LISTEN__HTTP: `127.0.0.1:${port}`, HOST: authentik.url, HOST_BROWSER: browser, TOKEN: token };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`AUTHENTIK_${name}`, value]));
  const child = spawn(process.execPath, [program, "proxy"], { env: { ...process.env, ...env } });
  processes.push(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { url: `http://127.0.0.1:${port}`, said: () => output };
}

const status = (url: string) =>
  fetch(`${url}/outpost.goauthentik.io/ping`).then(
    (answer) => answer.status,
    () => undefined,
  );

/** Another protected application, not attached to any outpost. */
async function provider(name: string): Promise<unknown> {
  const { authorization_flow, invalidation_flow } = (await list("/providers/proxy/"))[0] ?? {};
  const external_host = `http://${name}.localhost`;
  const body = { name, external_host, mode: "forward_single", authorization_flow, invalidation_flow };
  const { pk } = await api("POST", "/providers/proxy/", body);
  await api("POST", "/core/applications/", { name, slug: name, provider: pk });
  return pk;
}

function forward(url: string, host: string, path = "auth/traefik"): Promise<Response> {
  const headers = { "x-forwarded-proto": "http", "x-forwarded-host": host, "x-forwarded-uri": "/" };
  return fetch(`${url}/outpost.goauthentik.io/${path}`, { headers, redirect: "manual" });
}

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
  const embedded = (await list("/outposts/instances/"))[0] ?? {};
  const providers = [...(embedded["providers"] as unknown[]), await provider("spare")];
  await api("PATCH", `/outposts/instances/${String(embedded["pk"])}/`, { providers });
  outpost = await api("POST", "/outposts/instances/", {
    ...{ name: "dedicated", type: "proxy", service_connection: null, config: { authentik_host: origin } },
    providers: [await provider("one"), await provider("two")],
  });
  const account = `ak-outpost-${String(outpost["pk"]).replaceAll("-", "")}`;
  const user = (await list(`/core/users/?username=${account}`))[0]?.["pk"];
  await api("POST", "/core/tokens/", { identifier: "dedicated", user, intent: "api", expiring: false });
  const { key } = await api("GET", "/core/tokens/dedicated/view_key/");
  dedicated = (await startProxy(key as string)).url;
  await vi.waitFor(async () => expect(await status(dedicated)).toBe(204), { timeout: 20_000 });
});
afterAll(async () => {
  for (const child of processes) child.kill();
  await authentik.close();
});

test("each outpost serves its own providers and no others", async () => {
  const answers = async (url: string) =>
    Promise.all(["one", "two", "spare", "closed", "stranger"].map((name) => forward(url, `${name}.localhost`)));
  expect((await answers(dedicated)).map((answer) => answer.status)).toEqual([302, 302, 400, 400, 400]);
  expect((await answers(authentik.url)).map((answer) => answer.status)).toEqual([400, 400, 302, 302, 400]);
  const unknown = await forward(dedicated, "closed.localhost");
  expect(await unknown.json()).toMatchObject({ Message: "no app for hostname", Host: "closed.localhost" });
});

test("it sends browsers to AUTHENTIK_HOST_BROWSER, and signs them in", async () => {
  const own = await forward(dedicated, "one.localhost");
  expect(own.headers.get("location")).toMatch(/^http:\/\/login\.localhost\/application\/o\/authorize\/\?/);
  const browser = new Browser(authentik.url, ["one.localhost"], dedicated);
  const { url, answer } = await signIn(browser, "http://one.localhost/x?y=1");
  expect([url, answer.status]).toEqual(["http://one.localhost/x?y=1", 200]);
  const headers = ["x-authentik-username", "x-authentik-name", "x-authentik-meta-outpost"];
  const values = headers.map((name) => Buffer.from(answer.headers.get(name) ?? "", "latin1").toString());
  expect(values).toEqual(["bob", "Bø Å", "dedicated"]);
  const { url: end } = await browser.follow("http://one.localhost/?X-authentik-logout=true");
  expect(end).toContain("http://login.localhost/application/o/one/end-session/");
  expect((await browser.request("http://one.localhost/")).status).toBe(302);
});

test("without AUTHENTIK_HOST_BROWSER it sends them to the outpost's authentik_host", async () => {
  const { key } = await api("GET", "/core/tokens/dedicated/view_key/");
  const { url } = await startProxy(key as string, "");
  await expect.poll(() => status(url), { timeout: 20_000 }).toBe(204);
  expect((await forward(url, "one.localhost")).headers.get("location")).toMatch(/^http:\/\/authentik\.localhost\//);
});

test("with another token than the outpost's it never listens, and with a gone one it serves nobody", async () => {
  const wrong = await startProxy("bootstrap");
  await expect.poll(wrong.said, { timeout: 20_000 }).toContain("is AUTHENTIK_TOKEN the outpost's?");
  expect(await status(wrong.url)).toBeUndefined();
  await api("DELETE", "/core/tokens/dedicated/");
  expect((await forward(dedicated, "one.localhost")).status).toBe(400);
});
