/** The rules of authentik's REST API that were measured on a real server: docs/authentik.md, "REST API" and "Blueprints and start-up". */
import { beforeAll, describe, expect, test } from "vitest";
import { restApi } from "../../authentik/rest.ts";
import { TaskRunner } from "../../authentik/taskRunner.ts";
import type { Task } from "../../authentik/tasks.ts";
import { createDefaults } from "./defaults.ts";
import type { Json } from "./deployment.ts";
import { testRuntime } from "./runtime.ts";

/** What the server leaves to its worker. */
const tasks: Task[] = [];
const send = (name: Task["name"], argument: string) => void tasks.push({ id: 0, name, argument });
const runtime = testRuntime({ send });
const { store } = runtime;
const api = restApi(runtime);
const runner = new TaskRunner(runtime, { send: () => undefined } as never, { start: () => undefined } as never);
const UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000";
let flows: Json;

async function call(
  method: string,
  path: string,
  body?: unknown,
  key = "token",
): Promise<{ status: number; body: Json }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await api.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Json };
}

const list = async (path: string, key?: string) => (await call("GET", path, undefined, key)).body["results"] as Json[];
const names = async (path: string, key?: string) => (await list(path, key)).map((one) => one["name"]);
const proxy = (name: string, more: Json = {}) =>
  call("POST", "/providers/proxy/", {
    name,
    external_host: `http://${name}.localhost`,
    mode: "forward_single",
    ...flows,
    ...more,
  });

beforeAll(async () => {
  await runtime.claims.load();
  createDefaults(runtime, { token: "token" });
  const flow = async (slug: string) => (await list(`/flows/instances/?slug=${slug}`))[0]?.["pk"];
  flows = {
    authorization_flow: await flow("default-provider-authorization-implicit-consent"),
    invalidation_flow: await flow("default-invalidation-flow"),
  };
});

describe("lists", () => {
  beforeAll(async () => {
    for (let i = 0; i < 130; i++) await call("POST", "/core/groups/", { name: `many-${i}` });
    await proxy("one");
    await proxy("two");
  });

  test("ignore parameters that the view does not declare", async () => {
    expect(await names("/providers/proxy/?name=one")).toEqual(["one", "two"]);
    expect(await names("/providers/proxy/?name__iexact=ONE")).toEqual(["one"]);
    expect(await names("/outposts/instances/?name=none")).toEqual(["authentik Embedded Outpost"]);
    expect(await names("/outposts/instances/?name__iexact=none")).toEqual([]);
    expect(await names("/core/groups/?nonsense=1&name=many-7")).toEqual(["many-7"]);
  });

  test.each<[string, string, string]>([
    ["/policies/bindings/?order=0&target=UUID", "target", "That choice"],
    ["/policies/bindings/?policy=UUID", "policy", "That choice"],
    ["/policies/bindings/?target_in=UUID", "target_in", "UUID"],
    ["/propertymappings/provider/scope/?managed=KNOWN&managed=none", "managed", "none"],
    ["/providers/oauth2/?signing_key=UUID", "signing_key", "That choice"],
    ["/providers/oauth2/?application=UUID", "application", "That choice"],
    ["/providers/oauth2/?client_type=secret", "client_type", "secret"],
    ["/core/users/?groups_by_name=none", "groups_by_name", "none"],
    ["/core/users/?type=robot", "type", "robot"],
    ["/core/groups/?members_by_pk=999", "members_by_pk", "999"],
    ["/outposts/instances/?providers_by_pk=999", "providers_by_pk", "999"],
    ["/flows/instances/?designation=none", "designation", "none"],
    ["/core/tokens/?intent=none", "intent", "none"],
  ])("refuse a filter by an object or a choice that does not exist: %s", async (query, filter, named) => {
    const filled = (text: string) =>
      text.replace("UUID", UNKNOWN_UUID).replace("KNOWN", "goauthentik.io/providers/oauth2/scope-email");
    const message = `Select a valid choice. ${filled(named)} is not one of the available choices.`;
    expect(await call("GET", filled(query))).toEqual({ status: 400, body: { [filter]: [message] } });
  });

  test("refuse a filter whose value is of another type", async () => {
    const refused = async (query: string) => (await call("GET", query)).body;
    expect(await refused("/policies/bindings/?target=none")).toEqual({ target: ["“none” is not a valid UUID."] });
    expect(await refused("/policies/bindings/?order=first")).toEqual({ order: ["Enter a number."] });
    expect(await refused("/core/users/?uuid=none")).toEqual({ uuid: ["Enter a valid UUID."] });
  });

  test("accept filters by text that no object has, and by objects that do exist", async () => {
    expect(await names("/core/users/?username=none")).toEqual([]);
    expect(await names("/propertymappings/provider/scope/?scope_name=none")).toEqual([]);
    const [{ pk } = {}] = await list("/flows/instances/?slug=default-invalidation-flow");
    expect(await names(`/policies/bindings/?target=${String(pk)}`)).toEqual([]);
    expect(await names(`/core/users/?groups_by_name=many-7`)).toEqual([]);
  });

  test("have at most 100 entries on a page", async () => {
    const { body } = await call("GET", "/core/groups/?page_size=1000");
    expect((body["results"] as Json[]).length).toBe(100);
    expect(body["pagination"]).toMatchObject({ next: 2, count: 131, total_pages: 2 });
    expect((await list("/core/groups/?page_size=1000&page=2")).length).toBe(31);
    expect(await call("GET", "/core/groups/?page=9")).toEqual({ status: 404, body: { detail: "Invalid page." } });
  });

  test("are searched and sorted by declared fields", async () => {
    expect(await names("/core/groups/?search=many-12")).toEqual([
      "many-12",
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `many-12${i}`),
    ]);
    expect((await names("/core/groups/?ordering=-name"))[0]).toBe("many-99");
  });
});

describe("rights", () => {
  test("are described for a superuser only: POST in the answer to OPTIONS", async () => {
    const user = await call("POST", "/core/users/", { username: "limited", name: "Limited" });
    await call("POST", "/core/tokens/", { identifier: "limited", user: user.body["pk"], intent: "api" });
    const { key } = (await call("GET", "/core/tokens/limited/view_key/")).body as { key: string };
    const described = async (own?: string) => (await call("OPTIONS", "/core/groups/", undefined, own)).body["actions"];
    expect([await described(), await described(key)]).toEqual([{ POST: {} }, undefined]);
    const me = async (own?: string) => (await call("GET", "/core/users/me/", undefined, own)).body["user"];
    expect(await me()).toMatchObject({ username: "akadmin", is_superuser: true });
    expect(await me(key)).toMatchObject({ username: "limited", is_superuser: false });
    expect(await call("GET", "/core/groups/", undefined, key)).toMatchObject({ status: 403 });
    expect(await call("GET", "/admin/settings/", undefined, key)).toMatchObject({ status: 403 });
    expect((await call("GET", "/admin/settings/")).body).toEqual({ flags: { core_default_app_access: true } });
  });
});

describe("applications", () => {
  test("are listed for users that may open them, and all of them for a superuser on request", async () => {
    for (const slug of ["free", "closed"]) await call("POST", "/core/applications/", { name: slug, slug });
    const target = (await call("GET", "/core/applications/closed/")).body["pk"];
    const group = (await call("POST", "/core/groups/", { name: "staff" })).body["pk"];
    await call("POST", "/policies/bindings/", { target, group, order: 0 });
    expect(await names("/core/applications/")).toEqual(["free"]);
    expect((await call("GET", "/core/applications/")).body["pagination"]).toMatchObject({ count: 2 });
    expect(await names("/core/applications/?superuser_full_list=true")).toEqual(["closed", "free"]);
  });

  test("are deleted with their bindings, but not at the same time as the policy of one", async () => {
    const create = async (name: string) => {
      const target = (await call("POST", "/core/applications/", { name, slug: name })).body["pk"];
      const fields = { name, expression: "return True" };
      const policy = (await call("POST", "/policies/expression/", fields)).body["pk"] as string;
      const binding = await call("POST", "/policies/bindings/", { target, policy, order: 0 });
      return [`/core/applications/${name}/`, `/policies/expression/${policy}/`, binding.body["pk"] as string] as const;
    };
    const remove = async (path: string) => (await call("DELETE", path)).status;
    const [first, its, binding] = await create("first");
    expect([await remove(first), (await call("GET", `/policies/bindings/${binding}/`)).status]).toEqual([204, 404]);
    expect(await remove(its)).toBe(204);
    const [second, policy] = await create("second");
    const [one, other] = await Promise.all([remove(second), remove(policy)]);
    expect([one, other].sort()).toEqual([204, 405]);
    expect((await call("GET", one === 405 ? second : policy)).status).toBe(200);
  });
});

describe("providers", () => {
  test("list a proxy provider as an OAuth2 provider, with two redirect URIs and its grant types", async () => {
    const { body } = await proxy("both");
    const redirect_uris = ["http://both.localhost/outpost.goauthentik.io/callback", "http://both.localhost"].map(
      (url) => ({
        matching_mode: "strict",
        url: `${url}?X-authentik-auth-callback=true`,
        redirect_uri_type: "authorization",
      }),
    );
    expect(body["redirect_uris"]).toEqual(redirect_uris);
    const found = (await list("/providers/oauth2/?name=both"))[0] ?? {};
    expect(found).toMatchObject({ pk: body["pk"], redirect_uris, component: "ak-provider-oauth2-form" });
    expect(found["grant_types"]).toContain("authorization_code");
  });

  test("have no grant types by default, and a type for each redirect URI", async () => {
    const uri = { matching_mode: "strict", url: " http://a.test/cb " };
    const sent = { name: "plain", client_id: "plain", redirect_uris: [uri], ...flows };
    const { body } = await call("POST", "/providers/oauth2/", sent);
    expect(body["grant_types"]).toEqual([]);
    const given = { matching_mode: "strict", url: "http://a.test/cb", redirect_uri_type: "authorization" };
    expect(body["redirect_uris"]).toEqual([given]);
    const path = `/providers/oauth2/${String(body["pk"])}/`;
    const wrong = await call("PATCH", path, { grant_types: ["codes"] });
    expect([wrong.status, wrong.body]).toEqual([400, { grant_types: ['"codes" is not a valid choice.'] }]);
  });

  test("require an internal host for a proxy provider without a mode", async () => {
    const { status, body } = await proxy("moded", { mode: undefined });
    const message = "Internal host cannot be empty when forward auth is disabled.";
    expect([status, body]).toEqual([400, { internal_host: [message] }]);
  });
});

describe("outposts", () => {
  test("require a provider, and replace their config as a whole", async () => {
    const empty = { name: "own", type: "proxy", providers: [], service_connection: null, config: {} };
    const refused = await call("POST", "/outposts/instances/", empty);
    expect(refused).toEqual({ status: 400, body: { providers: ["This list may not be empty."] } });
    const providers = [(await proxy("own")).body["pk"]];
    const config = { authentik_host: "http://a.test", log_level: "debug" };
    const { body } = await call("POST", "/outposts/instances/", { ...empty, providers, config });
    const path = `/outposts/instances/${String(body["pk"])}/`;
    const changed = { authentik_host: "http://b.test" };
    expect((await call("PATCH", path, { config: changed })).body["config"]).toEqual(changed);
  });

  test("get a task for a change of themselves, two for one of a provider, and none for one of an application", async () => {
    const provider = (await proxy("changing")).body["pk"] as number;
    const sent = { name: "changing", type: "proxy", providers: [provider], service_connection: null, config: {} };
    const pk = (await call("POST", "/outposts/instances/", sent)).body["pk"] as string;
    const updates = async (change: () => Promise<unknown>) => {
      tasks.length = 0;
      await change();
      return tasks.map(({ name, argument }) => [name, argument]);
    };
    const update = [["outpost_send_update", pk]];
    expect(await updates(() => call("PATCH", `/outposts/instances/${pk}/`, { config: {} }))).toEqual(update);
    const mode = { mode: "forward_single", skip_path_regex: "^/x" };
    expect(await updates(() => call("PATCH", `/providers/proxy/${provider}/`, mode))).toEqual([...update, ...update]);
    expect(
      await updates(() => call("POST", "/core/applications/", { name: "changing", slug: "changing", provider })),
    ).toEqual([]);
  });

  test("read their own providers with secrets, and no others", async () => {
    const [outpost] = await list("/outposts/instances/?name__iexact=changing");
    const path = `/core/tokens/${String(outpost?.["token_identifier"])}/view_key/`;
    const key = (await call("GET", path)).body["key"] as string;
    expect(await names("/outposts/instances/", key)).toEqual(["changing"]);
    const [configuration, ...others] = await list("/outposts/proxy/", key);
    const provider = store.find("provider", { name: "changing" });
    expect(others).toEqual([]);
    expect(configuration).toMatchObject({
      client_id: provider?.client_id,
      client_secret: provider?.client_secret,
      cookie_secret: provider?.cookie_secret,
      access_token_validity: 3600,
      assigned_application_slug: "changing",
      oidc_configuration: { authorization_endpoint: "http://localhost/application/o/authorize/" },
    });
    expect([
      await names("/core/groups/", key),
      (await call("POST", "/core/groups/", { name: "x" }, key)).status,
    ]).toEqual([[], 403]);
    expect((await call("GET", "/core/groups/", undefined, "wrong")).body).toEqual({ detail: "Token invalid/expired" });
  });
});

describe("blueprints", () => {
  const content = (name: string) => `entries:\n  - model: authentik_core.group\n    identifiers: { name: ${name} }\n`;
  const create = (name: string, more: Json = {}) =>
    call("POST", "/managed/blueprints/", { name, content: content(name), ...more });

  test("are stored without being applied, with their texts trimmed", async () => {
    const { status, body } = await create("stored");
    expect([status, body["status"], body["content"]]).toEqual([201, "unknown", content("stored").trim()]);
    expect(await names("/core/groups/?name=stored")).toEqual([]);
    const put = await call("PUT", `/managed/blueprints/${String(body["pk"])}/`, {
      name: "stored",
      content: content("x"),
    });
    expect([put.status, put.body["status"], await names("/core/groups/?name=x")]).toEqual([200, "unknown", []]);
  });

  test("are applied by a task after a request", async () => {
    const pk = String((await create("applied")).body["pk"]);
    tasks.length = 0;
    const { status, body } = await call("POST", `/managed/blueprints/${pk}/apply/`);
    expect([status, body["status"], await names("/core/groups/?name=applied")]).toEqual([200, "unknown", []]);
    expect(tasks.map(({ name }) => name)).toEqual(["apply_blueprint"]);
    tasks.splice(0).forEach((task) => runner.run(task));
    expect((await call("GET", `/managed/blueprints/${pk}/`)).body["status"]).toBe("successful");
    expect(await names("/core/groups/?name=applied")).toEqual(["applied"]);
  });

  test("change nothing when they cannot be applied", async () => {
    const broken = `${content("half")}  - model: authentik_nope.nope\n    identifiers: { name: x }\n`;
    const { status, body } = await create("broken", { content: broken });
    expect([status, body]).toEqual([
      400,
      { content: ["Failed to validate blueprint", "- App or Model does not exist", "- Blueprint validation failed"] },
    ]);
    expect(await names("/core/groups/?name=half")).toEqual([]);
    expect((await create("empty", { content: "" })).body).toEqual({
      non_field_errors: ["Either path or content must be set."],
    });
  });

  test("resolve references to earlier entries, to other objects and to their context", async () => {
    const text = `context: { suffix: default }
entries:
  - model: authentik_core.group
    id: parent
    identifiers: { name: !Format ["parent-%s", !Context suffix] }
  - model: authentik_core.group
    identifiers: { name: child }
    attrs: { parents: [!KeyOf parent, !Find [authentik_core.group, [name, authentik Admins]]] }
`;
    const pk = String((await create("tags", { content: text, context: { suffix: "given" } })).body["pk"]);
    await call("POST", `/managed/blueprints/${pk}/apply/`);
    tasks.splice(0).forEach((task) => runner.run(task));
    const pks = await Promise.all(
      ["parent-given", "authentik+Admins"].map((name) => list(`/core/groups/?name=${name}`)),
    );
    expect((await list("/core/groups/?name=child"))[0]?.["parents"]).toEqual(pks.map((found) => found[0]?.["pk"]));
  });
});
