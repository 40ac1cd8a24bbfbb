import { expect, vi } from "vitest";
import { Random } from "../../authentik/random.ts";
import { startServer } from "../../authentik/server.ts";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";

export type Json = Record<string, unknown>;

export const origin = "http://authentik.localhost";
export const app = "http://whoami.localhost:8080";
export const hosts = ["whoami.localhost:8080", "closed.localhost", "unknown.localhost"];

/** How long a test waits for what authentik does later. */
export const waiting = { timeout: 240_000, interval: 100 };

/**
 * Starts the emulator in this process, in memory and with a worker, whose first user has the API token `bootstrap`. The defaults are
 * made later, see `settled`.
 */
export function start(random = new Random(1), blueprints?: string): Promise<Authentik> {
  const onLostWrite = (error: unknown) => {
    throw error;
  };
  const worker = { random, bootstrap: { password: "admin", token: "bootstrap" }, blueprints };
  const options = { hostname: "127.0.0.1", port: 0, secretKey: "test", random, worker, errorRate: 0, onLostWrite };
  return startServer(options);
}

/** Waits until the worker has created all defaults. */
async function settled(url: string): Promise<void> {
  const headers = { authorization: "Bearer bootstrap" };
  const list = async (path: string) => {
    const answer = await fetch(`${url}/api/v3${path}`, { headers });
    return answer.ok ? ((await answer.json()) as { results: Json[] }).results : [];
  };
  const isSettled = async () => {
    const statuses = (await list("/managed/blueprints/")).map((one) => one["status"]);
    const others = [...(await list("/outposts/instances/")), ...(await list("/crypto/certificatekeypairs/"))];
    return statuses.length > 0 && statuses.every((status) => status === "successful") && others.length === 2;
  };
  await vi.waitFor(async () => expect(await isSettled()).toBe(true), waiting);
}

/** Waits until an outpost redirects the requests for a host to its provider. */
export async function served(outpost: string, host: string, timeout = waiting.timeout): Promise<void> {
  const headers = { "x-forwarded-proto": "http", "x-forwarded-host": host, "x-forwarded-uri": "/" };
  const address = `${outpost}/outpost.goauthentik.io/auth/traefik`;
  const status = () => fetch(address, { headers, redirect: "manual" }).then((answer) => answer.status);
  await vi.waitFor(async () => expect(await status()).toBe(302), { ...waiting, timeout });
}

export const username = (uid_field: string) => ({ component: "ak-stage-identification", uid_field });
export const password = (given: string) => ({ component: "ak-stage-password", password: given });

/** Signs bob in at an address, and returns the last response with its URL. */
export async function signIn(browser: Browser, address: string): Promise<{ url: string; answer: Response }> {
  const login = await browser.follow(address);
  const end = await browser.runFlow(login.url, [username("bob"), password("right")]);
  if (end["component"] !== "xak-flow-redirect") throw new Error(JSON.stringify(end));
  return browser.follow(new URL(end["to"] as string, login.url).href);
}

/** Calls the REST API. @throws Error with the response if it is not a success */
export async function call(url: string, method: string, path: string, body?: Json): Promise<Json> {
  const headers = { authorization: "Bearer bootstrap", "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(`${url}/api/v3${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Json);
}

/** Where the application `identity` receives codes. */
export const callback = "http://dash.localhost/login";
export const endpoint = `${origin}/application/o`;

/** Returns the address at which the application `identity` requests a code, with other or more parameters. */
export function authorize(more: Record<string, string> = {}): string {
  return `${endpoint}/authorize/?${new URLSearchParams({
    client_id: "identity",
    response_type: "code",
    redirect_uri: callback,
    scope: "openid email",
    state: "s",
    ...more,
  }).toString()}`;
}

/** Signs bob in at an authorize address and gives the browser and the code; none when he is denied. */
export async function codeFor(url: string, address: string): Promise<{ browser: Browser; code: string }> {
  const browser = new Browser(url, hosts);
  const login = await browser.follow(address);
  await browser.runFlow(login.url, [username("bob"), password("right")]);
  const granted = await browser.request(address);
  return { browser, code: new URL(granted.headers.get("location") ?? "http://none").searchParams.get("code") ?? "" };
}

/** The first page of what a path of the REST API lists. */
export async function list(url: string, path: string): Promise<Json[]> {
  return (await call(url, "GET", path))["results"] as Json[];
}

/** The provider of the application `identity`. */
export async function identity(url: string): Promise<Json> {
  return (await list(url, "/providers/oauth2/?name=gatehouse-identity"))[0] ?? {};
}

/** Changes settings of the application `identity`'s provider for one test; returns the function that restores them. */
export async function configure(url: string, settings: Json): Promise<() => Promise<unknown>> {
  const before = await identity(url);
  const path = `/providers/oauth2/${String(before["pk"])}/`;
  await call(url, "PATCH", path, settings);
  const restored = Object.fromEntries(Object.keys(settings).map((name) => [name, before[name]]));
  return () => call(url, "PATCH", path, restored);
}

const expression = `names = ",".join([g.name for g in request.user.all_groups()])
return {"ak_proxy": {"user_attributes": {"additionalHeaders": {
    "X-idp-username": request.user.username,
    "X-idp-groups": names,
    "X-idp-name": request.user.name,
    "X-idp-jwt": ak_create_jwt(request.user, "gatehouse-identity", ["openid", "email", "profile"], "hours=12"),
    "X-idp-number": 7,
}}}}`;

/** What a deployment makes: the identity provider of the JWT, two protected applications, one of them for admins. */
export async function deploy(url: string): Promise<void> {
  await settled(url);
  const api = (method: string, path: string, body?: Json) => call(url, method, path, body);
  const first = async (path: string) => ((await api("GET", path))["results"] as Json[])[0] ?? {};
  const authorization_flow = (await first("/flows/instances/?slug=default-provider-authorization-implicit-consent"))[
    "pk"
  ];
  const invalidation_flow = (await first("/flows/instances/?slug=default-invalidation-flow"))["pk"];
  const signing_key = (await first("/crypto/certificatekeypairs/?name=authentik+Self-signed+Certificate"))["pk"];
  const flows = { authorization_flow, invalidation_flow };
  const stock = ((await api("GET", "/propertymappings/provider/scope/"))["results"] as Json[]).filter((one) =>
    ["openid", "email", "profile"].includes(one["scope_name"] as string),
  );
  const scopes = stock.map((one) => one["pk"]);
  const provider = await api("POST", "/providers/oauth2/", {
    name: "gatehouse-identity",
    client_id: "identity",
    client_secret: "s3cret",
    signing_key,
    ...flows,
    property_mappings: scopes,
    redirect_uris: [
      {
        matching_mode: "strict",
        url: callback,
      },
    ],
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  });
  await api("POST", "/core/applications/", { name: "identity", slug: "identity", provider: provider["pk"] });
  const broken = { name: "broken", scope_name: "zy_broken", expression: "return {'x': 1 / 0}" };
  const mappings = [
    (await api("POST", "/propertymappings/provider/scope/", { name: "idp", scope_name: "zz_idp", expression }))["pk"],
    (await api("POST", "/propertymappings/provider/scope/", broken))["pk"],
  ];
  const providers: unknown[] = [];
  for (const [slug, external_host] of [
    ["whoami", app],
    ["closed", "http://closed.localhost"],
  ]) {
    const body = {
      name: slug,
      external_host,
      mode: "forward_single",
      property_mappings: mappings,
      ...flows,
      skip_path_regex: "^/open/",
    };
    const provider = await api("POST", "/providers/proxy/", body);
    await api("POST", "/core/applications/", { name: slug, slug, provider: provider["pk"] });
    providers.push(provider["pk"]);
  }
  const group = await api("POST", "/core/groups/", { name: "kommune" });
  const parent = await api("POST", "/core/groups/", { name: "alle" });
  await api("PUT", `/core/groups/${String(group["pk"])}/`, { name: "kommune", parents: [parent["pk"]] });
  const bob = await api("POST", "/core/users/", {
    username: "bob",
    name: "Bø Å",
    email: "bob@x.test",
    groups: [group["pk"]],
  });
  await api("POST", `/core/users/${String(bob["pk"])}/set_password/`, { password: "right" });
  const admins = (await first("/core/groups/?name=authentik+Admins"))["pk"];
  await api("POST", "/policies/bindings/", {
    target: (await api("GET", "/core/applications/closed/"))["pk"],
    group: admins,
    order: 0,
  });
  const outpost = await first("/outposts/instances/?name__iexact=authentik+Embedded+Outpost");
  await api("PATCH", `/outposts/instances/${String(outpost["pk"])}/`, {
    providers,
    config: { authentik_host: origin },
  });
  await served(url, new URL(app).host);
}
