import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED_OUTPOST, references } from "../../authentik/objects.ts";
import type { Kind } from "../../authentik/objects.ts";
import { create, resources } from "../../authentik/resources.ts";
import type { Resource, Runtime } from "../../authentik/resources.ts";
import { restApi } from "../../authentik/rest.ts";
import { createDefaults } from "./defaults.ts";
import { testRuntime } from "./runtime.ts";
import { anything, echo, expectDescribed, nameOf, pair } from "./described.ts";
import sequences from "./traffic.json" with { type: "json" };

type Json = Record<string, unknown>;
type Call = { method: string; path: string; query?: string; body?: unknown; status: number; response?: unknown };

const token = "test-token";
let runtime: Runtime;
let api: ReturnType<typeof restApi>;

/** An empty store, but for the user behind the token; `full` = with what authentik has after its first start. */
function start(full = false): void {
  runtime = testRuntime();
  if (full) createDefaults(runtime, { token });
  else {
    const admins = { ...create(runtime, resourceOf("group")), name: "callers", is_superuser: true };
    runtime.store.put("group", admins as never);
    const caller = { ...create(runtime, resourceOf("user")), pk: 9999, username: "caller", groups: [admins.pk] };
    runtime.store.put("user", caller as never);
    const own = { pk: "t", identifier: "t", user: 9999, expiring: false, expires: null };
    runtime.store.put("token", { ...own, intent: "api", key: token });
  }
  api = restApi(runtime);
}

function resourceOf(kind: Kind): Resource {
  const resource = resources.find((one) => one.kind === kind);
  if (!resource) throw new Error(`no resource for ${kind}`);
  return resource;
}

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await api.request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Json };
}

/** The only outpost that can be without providers, as in some recorded calls. */
const embedded = { managed: EMBEDDED_OUTPOST };
/** In place of recorded blueprints, some of which authentik refuses. */
const blueprint = { content: "version: 1\nentries: []\n" };

/** Creates what a recorded call refers to in an empty store: its object, and the objects in its body. */
function plant(resource: Resource, { path, query, body, response, status }: Call): void {
  const put = (kind: Kind, fields: Json) => {
    const described = resources.find((one) => one.kind === kind && (kind !== resource.kind || one === resource));
    if (described)
      runtime.store.put(kind, { ...create(runtime, described), ...anything, ...embedded, ...fields } as never);
  };
  const sent = (body ?? {}) as Json;
  for (const [field, kind] of Object.entries(references[resource.kind] ?? {})) {
    for (const pk of [sent[field] ?? []].flat()) put(kind, { pk, username: "other", name: "other" });
  }
  const id = path.slice(`/api/v3${resource.path ?? ""}`.length).split("/")[0] ?? "";
  const key = resource.key ?? "pk";
  const pk = key === "pk" ? { pk: /^\d+$/.test(id) ? Number(id) : id } : { [key]: id };
  // authentik does not change the user of a token.
  const owner = resource.kind === "token" && "user" in sent && { user: sent["user"] };
  if (id !== "" && id !== "default_settings" && status !== 404) put(resource.kind, { ...pk, ...owner });
  // A filter by a managed name that no object has is refused.
  for (const managed of response ? [] : new URLSearchParams(query).getAll("managed"))
    put(resource.kind, { managed, pk: randomUUID() });
  for (const object of ((response ?? {}) as { results?: Json[] }).results ?? []) {
    put(resource.kind, { ...object, ...pair });
  }
}

/** The server of the recording returned the objects that exist; authentik refuses a managed name that none has. */
const LENIENT = "data source scope_partial";

describe("recorded calls of the real provider", () => {
  test.each((sequences as { what: string; calls: Call[] }[]).filter(({ what }) => what !== LENIENT))(
    "return recorded responses: $what",
    async ({ calls }) => {
      for (const recorded of calls) {
        const { method, path, query, status, response } = recorded;
        start();
        const resource = resources.find((one) => one.path && path.startsWith(`/api/v3${one.path}`));
        if (resource) plant(resource, recorded);
        const target = path.replace("/api/v3", "") + (query === undefined ? "" : `?${query}`);
        const body = recorded.body as Json | undefined;
        const sent = body && { ...body, ...("content" in body ? blueprint : {}) };
        const answer = await call(method, target, sent && "certificate_data" in sent ? { ...sent, ...pair } : sent);
        expect(answer.status, `${method} ${target} ${JSON.stringify(answer.body)}`).toBe(status);
        if (status >= 300) continue;
        expectDescribed(method, target, status, answer.body);
        const { results } = (response ?? {}) as { results?: Json[] };
        if (results) expect((answer.body["results"] as Json[]).map(nameOf).sort()).toEqual(results.map(nameOf).sort());
        if (method !== "DELETE" && sent && status !== 204) expect(answer.body).toMatchObject(echo(sent));
      }
    },
  );
});

describe("rules of the server", () => {
  beforeAll(() => start(true));
  const flow = async (slug: string) => {
    const { body } = await call("GET", `/flows/instances/?slug=${slug}`);
    return (body["results"] as Json[])[0]?.["pk"] as string;
  };
  const proxy = async (name: string, more: Json = {}) =>
    call("POST", "/providers/proxy/", {
      name,
      external_host: `http://${name}.localhost`,
      mode: "forward_single",
      ...more,
      authorization_flow: await flow("default-provider-authorization-implicit-consent"),
      invalidation_flow: await flow("default-provider-invalidation-flow"),
    });

  test("returns 403 without a token, and 404 for unknown paths and objects", async () => {
    const anonymous = await api.request("/core/groups/");
    expect(anonymous.status).toBe(403);
    expect(await anonymous.json()).toEqual({ detail: "Authentication credentials were not provided." });
    expect((await api.request("/no/such/thing/", { headers: { authorization: `Bearer ${token}` } })).status).toBe(404);
    expect((await call("GET", "/core/applications/nope/")).status).toBe(404);
  });

  test("adds five default mappings and a client id to a proxy provider, and returns no secret", async () => {
    const custom = (
      await call("POST", "/propertymappings/provider/scope/", { name: "c", scope_name: "zz", expression: "return {}" })
    ).body;
    const { status, body } = await proxy("five", { property_mappings: [custom["pk"]], skip_path_regex: "^/open" });
    expect(status).toBe(201);
    expect(body["property_mappings"]).toHaveLength(6);
    expect(body).not.toHaveProperty("client_secret");
    expect(body).not.toHaveProperty("cookie_secret");
    const { name, external_host, mode, authorization_flow, invalidation_flow } = body;
    const settings = { name, external_host, mode, authorization_flow, invalidation_flow };
    const put = await call("PUT", `/providers/proxy/${String(body["pk"])}/`, settings);
    expect(put.body["client_id"]).toBe(body["client_id"]);
    expect(put.body["skip_path_regex"]).toBe("^/open");
    expect(put.body["property_mappings"]).toEqual(body["property_mappings"]);
  });

  test("refuses duplicates, wrong bodies and dangling references with 400", async () => {
    await call("POST", "/core/groups/", { name: "twice" });
    expect(await call("POST", "/core/groups/", { name: "twice" })).toEqual({
      status: 400,
      body: { name: ["Group with this name already exists."] },
    });
    expect((await call("POST", "/core/groups/", {})).body).toEqual({ name: ["This field is required."] });
    expect((await call("POST", "/core/applications/", { name: "a", slug: "a", provider: 999 })).body).toEqual({
      provider: ['Invalid pk "999" - object does not exist.'],
    });
  });

  test("binds a policy to a target once for each order", async () => {
    const policy = (await call("POST", "/policies/expression/", { name: "p", expression: "return True" })).body["pk"];
    const target = (await call("POST", "/core/applications/", { name: "bound", slug: "bound" })).body["pk"];
    const bind = async (order: number) => call("POST", "/policies/bindings/", { target, policy, order });
    expect((await bind(0)).status).toBe(201);
    expect(await bind(0)).toEqual({
      status: 400,
      body: { non_field_errors: ["The fields policy, target, order must make a unique set."] },
    });
    expect((await bind(1)).status).toBe(201);
  });

  test("accepts one application for each provider, and no slug of an endpoint", async () => {
    const provider = (await proxy("shared")).body["pk"];
    expect((await call("POST", "/core/applications/", { name: "a", slug: "first", provider })).status).toBe(201);
    expect(await call("POST", "/core/applications/", { name: "b", slug: "second", provider })).toEqual({
      status: 400,
      body: { provider: ["Application with this provider already exists."] },
    });
    for (const slug of ["third", "fourth"]) {
      expect((await call("POST", "/core/applications/", { name: slug, slug, provider: null })).status).toBe(201);
    }
    expect(await call("POST", "/core/applications/", { name: "c", slug: "token" })).toEqual({
      status: 400,
      body: { slug: ["The slug 'token' is reserved and cannot be used for applications."] },
    });
  });

  test("replaces the providers of an outpost with PATCH, and removes a deleted provider from outpost and application", async () => {
    const [one, two] = [(await proxy("one")).body["pk"], (await proxy("two")).body["pk"]];
    const found = await call("GET", "/outposts/instances/?name__iexact=AUTHENTIK+embedded+outpost");
    const path = `/outposts/instances/${String((found.body["results"] as Json[])[0]?.["pk"])}/`;
    expect((await call("PATCH", path, { providers: [one] })).body["providers"]).toEqual([one]);
    expect((await call("PATCH", path, { providers: [two] })).body["providers"]).toEqual([two]);
    await call("POST", "/core/applications/", { name: "two", slug: "two", provider: two });
    await call("DELETE", `/providers/proxy/${String(two)}/`);
    expect((await call("GET", path)).body["providers"]).toEqual([]);
    expect((await call("GET", "/core/applications/two/")).body["provider"]).toBeNull();
  });

  test("writes membership from users and from groups", async () => {
    const group = (await call("POST", "/core/groups/", { name: "team" })).body["pk"];
    const user = (await call("POST", "/core/users/", { username: "bob", name: "Bob", groups: [group] })).body["pk"];
    const path = `/core/groups/${String(group)}/`;
    expect((await call("GET", path)).body["users"]).toEqual([user]);
    await call("PUT", path, { name: "team", users: [] });
    expect((await call("GET", `/core/users/${String(user)}/`)).body["groups"]).toEqual([]);
    await call("PUT", path, { name: "team", users: [user] });
    expect((await call("GET", `/core/users/${String(user)}/`)).body["groups"]).toEqual([group]);
  });

  test("creates and deletes the service account and the token of an outpost with it", async () => {
    const { body } = await call("POST", "/outposts/instances/", {
      name: "own",
      type: "proxy",
      service_connection: null,
      config: {},
      providers: [(await proxy("served")).body["pk"]],
    });
    const pk = String(body["pk"]);
    const account = `/core/users/?username=ak-outpost-${pk.replaceAll("-", "")}`;
    const [user] = (await call("GET", account)).body["results"] as Json[];
    expect(user).toMatchObject({ type: "internal_service_account", path: "goauthentik.io/outposts" });
    const key = `/core/tokens/ak-outpost-${pk}-api/view_key/`;
    expect((await call("GET", key)).body["key"]).toHaveLength(60);
    await call("PATCH", `/outposts/instances/${pk}/`, { config: { log_level: "info" } });
    expect((await call("GET", account)).body["results"]).toHaveLength(1);
    await call("DELETE", `/outposts/instances/${pk}/`);
    expect((await call("GET", account)).body["results"]).toEqual([]);
    expect((await call("GET", key)).status).toBe(404);
  });

  test("creates an app password for a service account, and tokens that expire after a day by default", async () => {
    const robot = await call("POST", "/core/users/", { username: "robot", name: "Robot", type: "service_account" });
    expectDescribed("POST", "/core/users/", robot.status, robot.body);
    const make = async (more: Json) => {
      const sent = { user: robot.body["pk"], intent: "app_password", ...more };
      const { status, body } = await call("POST", "/core/tokens/", sent);
      expectDescribed("POST", "/core/tokens/", status, body);
      return body;
    };
    expect(await make({ identifier: "kept", expiring: false })).toMatchObject({
      intent: "app_password",
      expires: null,
    });
    const left = Date.parse((await make({ identifier: "day" }))["expires"] as string) - Date.now();
    expect(Math.round(left / 60_000)).toBe(24 * 60);
    const expires = "2030-01-01T00:00:00Z";
    expect(await make({ identifier: "dated", expires })).toMatchObject({ expiring: true, expires });
    const key = await call("GET", "/core/tokens/kept/view_key/");
    expectDescribed("GET", "/core/tokens/kept/view_key/", key.status, key.body);
    const refused = await api.request("/core/groups/", {
      headers: { authorization: `Bearer ${String(key.body["key"])}` },
    });
    expect(refused.status).toBe(403);
  });

  test("returns its version for a token only", async () => {
    const { status, body } = await call("GET", "/admin/version/");
    expectDescribed("GET", "/admin/version/", status, body);
    expect(body["version_current"]).toBe("2026.5.7");
    expect((await api.request("/admin/version/")).status).toBe(403);
  });

  test("refuses an invalid duration", async () => {
    expect(await proxy("long", { access_token_validity: "forever" })).toEqual({
      status: 400,
      body: { access_token_validity: ["forever is not in the correct format of 'hours=3;minutes=1'."] },
    });
  });
});
