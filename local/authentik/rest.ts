import { Hono } from "hono";
import type { Context } from "hono";
import { applyBlueprint } from "./blueprint.ts";
import { version } from "./identity-headers.ts";
import type { Blueprint, Fields, KeyPair, Stored, Token, User } from "./objects.ts";
import { hashPassword, tokenOwner } from "./people.ts";
import { present, resources } from "./resources.ts";
import type { Resource, World } from "./resources.ts";
import { isOf, listed, Refusal, remove, save } from "./write.ts";

/** `/api/v3` without the flow executor. */
export function restApi(world: World): Hono {
  const api = new Hono();
  api.onError((error, c) => {
    if (error instanceof Refusal) return c.json(error.body, error.status);
    throw error;
  });
  api.get("/root/config/", (c) =>
    c.json({
      error_reporting: { enabled: false, sentry_dsn: "", environment: "", send_pii: false, traces_sample_rate: 0 },
      ...{ capabilities: [], cache_timeout: 300, cache_timeout_flows: 300, cache_timeout_policies: 300 },
    }),
  );
  api.use("*", async (c: Context, next) => {
    const key = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    if (!tokenOwner(world.store, key, "api"))
      throw new Refusal(403, { detail: "Authentication credentials were not provided." });
    await next();
  });
  addActions(api, world);
  for (const resource of resources) if (resource.path) addResource(api, world, resource.path, resource);
  api.all("*", () => {
    throw new Refusal(404, { detail: "Not found." });
  });
  return api;
}

function addResource(api: Hono, world: World, path: string, resource: Resource): void {
  const one = (c: Context) => find(world, resource, c.req.param("id") ?? "");
  const answer = (object: Stored) => present(world, resource, object);
  const write = async (c: Context, current?: Stored, partial = false) => {
    const object = save(world, resource, current, await bodyOf(c), partial);
    return resource.kind === "blueprint" ? applyBlueprint(world, object as Blueprint) : object;
  };
  api.get(path, (c) => c.json(page(world, resource, new URL(c.req.url).searchParams)));
  api.post(path, async (c) => c.json(answer(await write(c)), 201));
  api.get(`${path}:id/`, (c) => c.json(answer(one(c))));
  api.put(`${path}:id/`, async (c) => c.json(answer(await write(c, one(c)))));
  api.patch(`${path}:id/`, async (c) => c.json(answer(await write(c, one(c), true))));
  api.delete(`${path}:id/`, (c) => {
    remove(world, resource, one(c));
    return c.body(null, 204);
  });
}

function addActions(api: Hono, world: World): void {
  const outdated = { version_latest: version, version_latest_valid: true, outdated: false, outpost_outdated: false };
  api.get("/admin/version/", (c) => c.json({ version_current: version, build_hash: "", ...outdated }));
  api.get("/outposts/instances/default_settings/", (c) =>
    c.json({ config: resourceAt("/outposts/instances/").defaults["config"] }),
  );
  api.get("/crypto/certificatekeypairs/:id/:part{view_certificate|view_private_key}/", (c) => {
    const pair = find(world, resourceAt("/crypto/certificatekeypairs/"), c.req.param("id")) as KeyPair;
    return c.json({ data: c.req.param("part") === "view_certificate" ? pair.certificate_data : pair.key_data });
  });
  api.get("/core/tokens/:id/view_key/", (c) => {
    const token = find(world, resourceAt("/core/tokens/"), c.req.param("id")) as Token;
    return c.json({ key: token.key });
  });
  api.post("/core/users/:id/set_password/", async (c) => {
    const user = find(world, resourceAt("/core/users/"), c.req.param("id")) as User;
    const { password } = await bodyOf(c);
    if (typeof password !== "string" || password === "") {
      throw new Refusal(400, { password: ["This field is required."] });
    }
    const password_change_date = new Date().toISOString();
    world.store.put("user", { ...user, password: hashPassword(password), password_change_date });
    return c.body(null, 204);
  });
}

/** One page of a list: filtered by every query parameter that names a field of the answers; `__iexact` ignores case. */
function page(world: World, resource: Resource, query: URLSearchParams): Fields {
  const filters = [...new Set(query.keys())].filter((name) => !/^(page|page_size|include_.*)$/.test(name));
  const all = listed(world, resource)
    .map((object) => present(world, resource, object))
    .filter((object) => filters.every((filter) => matches(object, filter, query.getAll(filter))));
  const size = Number(query.get("page_size") ?? 20);
  const current = Number(query.get("page") ?? 1);
  const pages = Math.max(1, Math.ceil(all.length / size));
  const results = all.slice((current - 1) * size, current * size);
  const start = results.length === 0 ? 0 : (current - 1) * size + 1;
  return {
    pagination: {
      ...{ next: current < pages ? current + 1 : 0, previous: current - 1, count: all.length, current },
      ...{ total_pages: pages, start_index: start, end_index: start === 0 ? 0 : start + results.length - 1 },
    },
    results,
    autocomplete: {},
  };
}

function matches(object: Fields, filter: string, wanted: string[]): boolean {
  const [field = "", mode] = filter.split("__");
  if (!(field in object)) return true;
  const fold = (text: unknown) => (mode === "iexact" ? String(text).toLowerCase() : String(text));
  return wanted.map(fold).includes(fold(object[field]));
}

function find(world: World, resource: Resource, id: string): Stored {
  const { kind, key } = resource;
  const object = key ? world.store.find(kind, { [key]: id }) : world.store.get(kind, id);
  if (!object || !isOf(resource, object))
    throw new Refusal(404, { detail: `No ${resource.schema} matches the given query.` });
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
    throw new Refusal(400, { detail: "JSON parse error" });
  }
}
