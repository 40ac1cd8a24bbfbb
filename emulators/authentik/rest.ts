import { Hono } from "hono";
import type { Context } from "hono";
import { sendApply, validateContent } from "./blueprintInstances.ts";
import { page } from "./list.ts";
import type { Blueprint, Fields, KeyPair, Stored, Token, User } from "./objects.ts";
import { configurationsOf, FURTHER_FIELDS, furtherOidcFields } from "./outpost/providerConfigurations.ts";
import { bearerOf, hashPassword, isSuperuser, tokenOwner } from "./users.ts";
import { mayView } from "./permissions.ts";
import { ApiError, forbidden } from "./apiError.ts";
import { present, resources } from "./resources.ts";
import type { Resource, Runtime } from "./resources.ts";
import { originOf } from "./sessions.ts";
import { VERSION } from "./version.ts";
import { dangling, isOf, remove, save } from "./write.ts";

/** Shortest and longest time from finding what a deletion takes along to deleting it, in milliseconds. */
const DELETION = [20, 100] as const;

type Env = { Variables: { user: User } };

/** `/api/v3` without the flow executor. */
export function restApi(runtime: Runtime): Hono<Env> {
  const api = new Hono<Env>();
  api.onError((error, c) => {
    if (error instanceof ApiError) return c.json(error.body, error.status);
    throw error;
  });
  api.get("/root/config/", (c) =>
    c.json({
      error_reporting: {
        enabled: false,
        sentry_dsn: "",
        environment: "",
        send_pii: false,
        traces_sample_rate: 0,
      },
      capabilities: [],
      cache_timeout: 300,
      cache_timeout_flows: 300,
      cache_timeout_policies: 300,
    }),
  );
  api.use("*", async (c, next) => {
    const key = bearerOf(c.req.header("authorization"));
    if (!key) throw new ApiError(403, { detail: "Authentication credentials were not provided." });
    const user = tokenOwner(runtime.store, key, "api");
    if (!user) throw new ApiError(403, { detail: "Token invalid/expired" });
    c.set("user", user);
    await next();
  });
  addOutpostConfigurations(api, runtime);
  api.on(["POST", "PUT", "PATCH", "DELETE"], "*", async (c, next) => {
    if (!isSuperuser(runtime.store, c.get("user"))) {
      throw forbidden();
    }
    await next();
  });
  addActions(api, runtime);
  for (const resource of resources) if (resource.path) addResource(api, runtime, resource.path, resource);
  return api;
}

function addResource(api: Hono<Env>, runtime: Runtime, path: string, resource: Resource): void {
  const one = (c: Context<Env>) => find(runtime, resource, c);
  const answer = (object: Stored) => present(runtime, resource, object);
  const write = async (c: Context<Env>, current?: Stored, partial = false) => {
    const validateMore =
      resource.schema === "BlueprintInstance" ? (body: Fields) => validateContent(runtime, current, body) : undefined;
    return answer(save(runtime, resource, current, await bodyOf(c), partial, validateMore));
  };
  api.get(path, (c) => c.json(page(runtime, resource, c.get("user"), new URL(c.req.url).searchParams)));
  api.post(path, async (c) => c.json(await write(c), 201));
  // Only a user who may create an object gets its fields (docs/authentik.md, REST API).
  api.options(path, (c) => {
    const name = `${resource.schema} List`;
    const POST = isSuperuser(runtime.store, c.get("user")) ? { actions: { POST: {} } } : {};
    return c.json({ name, description: "", renders: ["application/json"], parses: ["application/json"], ...POST });
  });
  api.get(`${path}:id/`, (c) => c.json(answer(one(c))));
  api.put(`${path}:id/`, async (c) => c.json(await write(c, one(c))));
  api.patch(`${path}:id/`, async (c) => c.json(await write(c, one(c), true)));
  api.delete(`${path}:id/`, async (c) => {
    const object = one(c);
    const along = runtime.store.dependentsOf(resource.kind, object.pk);
    await runtime.random.wait(...DELETION);
    // The event of each of them names what it refers to (docs/authentik.md, REST API).
    if (along.some(([kind, dependent]) => dangling(runtime, kind, dependent))) return c.body(null, 405);
    remove(runtime, resource, object);
    return c.body(null, 204);
  });
}

function addActions(api: Hono<Env>, runtime: Runtime): void {
  const outdated = { version_latest: VERSION, version_latest_valid: true, outdated: false, outpost_outdated: false };
  api.get("/admin/version/", (c) => c.json({ version_current: VERSION, build_hash: "", ...outdated }));
  api.get("/core/users/me/", (c) => {
    const user = present(runtime, resourceAt("/core/users/"), c.get("user"));
    const is_superuser = isSuperuser(runtime.store, c.get("user"));
    return c.json({ user: { ...user, is_superuser, settings: {}, system_permissions: [] } });
  });
  api.get("/admin/settings/", (c) => {
    if (!isSuperuser(runtime.store, c.get("user"))) throw forbidden();
    // Only the settings that Gatehouse reads; they cannot be changed.
    return c.json({ flags: { core_default_app_access: true } });
  });
  api.get("/outposts/instances/default_settings/", (c) => {
    const config = resourceAt("/outposts/instances/").defaults["config"] as Fields;
    return c.json({ config: { ...config, authentik_host: `${originOf(c)}/` } });
  });
  api.get("/crypto/certificatekeypairs/:id/view_certificate/", (c) => {
    const pair = find(runtime, resourceAt("/crypto/certificatekeypairs/"), c) as KeyPair;
    return c.json({ data: pair.certificate_data });
  });
  api.get("/core/tokens/:id/view_key/", (c) => {
    const token = find(runtime, resourceAt("/core/tokens/"), c) as Token;
    return c.json({ key: token.key });
  });
  api.post("/core/users/:id/set_password/", async (c) => {
    const user = find(runtime, resourceAt("/core/users/"), c) as User;
    const { password } = await bodyOf(c);
    if (typeof password !== "string") throw new ApiError(400, { password: ["This field is required."] });
    if (password.trim() === "") throw new ApiError(400, { password: ["This field may not be blank."] });
    const password_change_date = new Date().toISOString();
    runtime.store.put("user", { ...user, password: hashPassword(password.trim()), password_change_date });
    return c.body(null, 204);
  });
  api.post("/managed/blueprints/:id/apply/", (c) => {
    const resource = resourceAt("/managed/blueprints/");
    const blueprint = find(runtime, resource, c) as Blueprint;
    sendApply(runtime, blueprint);
    return c.json(present(runtime, resource, blueprint));
  });
}

/** What outposts read their providers from, secrets included: `/outposts/proxy/`. */
function addOutpostConfigurations(api: Hono<Env>, runtime: Runtime): void {
  const resource: Resource = { ...resourceAt("/providers/proxy/"), filters: ["name"] };
  api.get("/outposts/proxy/", (c) => {
    const origin = originOf(c);
    const known = new Map(configurationsOf(runtime.store, origin).map((one) => [one.pk, one]));
    const { results, ...rest } = page(runtime, resource, c.get("user"), new URL(c.req.url).searchParams);
    const shown = (results as { pk: number }[]).flatMap(({ pk }) => known.get(pk) ?? []);
    const further = furtherOidcFields(origin);
    for (const { pk } of shown) {
      const provider = runtime.store.get("provider", pk);
      // authentik also builds the discovery document of each provider here, which evaluates its mappings.
      if (provider) runtime.claims.supported(provider, origin);
    }
    const full = shown.map((one) => ({
      ...FURTHER_FIELDS,
      ...one,
      oidc_configuration: {
        ...one.oidc_configuration,
        ...further,
      },
    }));
    return c.json({ ...rest, results: full });
  });
}

function find(runtime: Runtime, resource: Resource, c: Context<Env>): Stored {
  const { kind, key } = resource;
  const id = c.req.param("id") ?? "";
  const object = key ? runtime.store.find(kind, { [key]: id }) : runtime.store.get(kind, id);
  if (!object || !isOf(resource, object) || !mayView(runtime.store, c.get("user"), kind, object)) {
    throw new ApiError(404, { detail: `No ${resource.schema} matches the given query.` });
  }
  return object;
}

function resourceAt(path: string): Resource {
  const resource = resources.find((candidate) => candidate.path === path);
  if (!resource) throw new Error(`no resource at ${path}`);
  return resource;
}

async function bodyOf(c: Context): Promise<Fields> {
  try {
    return await c.req.json<Fields>();
  } catch {
    throw new ApiError(400, { detail: "JSON parse error" });
  }
}
