import { setTimeout } from "node:timers/promises";
import type { OutsideTarget } from "../../../infra/verification/target.ts";
import { isGatewayResponse } from "../../clients/gatewayResponse.ts";
import { type HttpResponse, headerOf, withClient } from "../../clients/http.ts";
import { type Check, expectEqual, Unexpected } from "../check.ts";
import { LockedError, retrying, type Send, unlessLocked } from "./dataApiRequests.ts";

/** A schema that no stack can have: this prefix is reserved. */
const UNKNOWN_SCHEMA = "pg_unknown_schema";

/** Number of different tags after which a tag counts as one that no response repeats. */
const MAX_TAGS = 10;

/** Milliseconds: for how long requests for locked relations are repeated, and the pause before relations are compared again. */
const WAITS = { locked: 10_000, changed: 1000 };

/**
 * Checks the data API (docs/verify.md, Checks), with every relation that each exposed schema describes.
 * @param url origin of the data API
 * @param maxRows its limit of the rows of a response
 */
export function checkDataApi(
  url: string,
  { exposed, hidden }: OutsideTarget["schemas"],
  maxRows: number,
  waits = WAITS,
): Promise<Check[]> {
  return withClient(async (client) => {
    const send = retrying((path, options) => client.send(url + path, options), waits.locked);
    const comparing = (probe: () => Promise<string>): Promise<string> => compareTwice(probe, waits.changed);
    const [first = "", ...others] = exposed;
    const probes: [title: string, probe: () => Promise<string>][] = [
      [`schema ${first}`, () => comparing(() => schema(send))],
      ["unknown relation", () => unknownRelation(send)],
      ["OpenAPI", () => comparing(() => description(send))],
      ["meta_endpoints", () => comparing(() => listed(send, exposed))],
      ["caching and limits", () => caching(send, maxRows)],
      ["CORS", () => browsers(send)],
      ["CORS preflight", () => preflight(send)],
      ["is read only", () => readOnly(send)],
      ["query limits", () => queryLimits(send)],
      ...others.flatMap((name): typeof probes => [
        [`schema ${name}`, () => comparing(() => schema(send, name))],
        [`${name} without Accept-Profile`, () => comparing(() => needsProfile(send, name))],
      ]),
      ...[...hidden, UNKNOWN_SCHEMA].map((name): (typeof probes)[number] => [
        `schema ${name} is hidden`,
        () => isHidden(send, name),
      ]),
    ];
    const checks: Check[] = [];
    for (const [title, probe] of probes) checks.push(await unlessLocked(client, `${url} ${title}`, probe));
    return checks;
  });
}

/** Runs a probe that compares relations with their description; once more if they differ, because a pipeline can replace them at the same time. */
async function compareTwice(probe: () => Promise<string>, pause: number): Promise<string> {
  try {
    return await probe();
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    await setTimeout(pause);
    return probe();
  }
}

/** Returns the header that selects a schema; none for the default one. */
function profile(name?: string): Record<string, string> {
  return name === undefined ? {} : { "accept-profile": name };
}

/**
 * Checks that every relation of the schema returns rows as a JSON array, and its count: the exact one, or where the relation has more rows than
 * `exact_count_rows` the planned one, unless the API refuses it (docs/limits.md).
 */
async function schema(send: Send, name?: string): Promise<string> {
  const relations = await relationsOf(send, name);
  let large = 0;
  const locked: string[] = [];
  for (const relation of relations) {
    try {
      const rows = await send(`${pathOf(relation)}?limit=1`, { headers: profile(name) });
      expectEqual(`status of ${relation}`, rows.status, 200);
      expectEqual(`${relation} is an array`, Array.isArray(JSON.parse(rows.body)), true);
      if (await isExactCountRefused(send, relation, name)) large += 1;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      locked.push(relation);
    }
  }
  if (locked.length > 0) throw new LockedError(locked.join(", "));
  const uncounted = large === 0 ? "" : `; ${large} of them above exact_count_rows`;
  return `${relations.length} relations with rows and counts${uncounted}`;
}

/** @throws Unexpected when the relation has no count, although the API counts or estimates it */
async function isExactCountRefused(send: Send, relation: string, schema?: string): Promise<boolean> {
  const count = (method: string, prefer: string): Promise<HttpResponse> =>
    send(`${pathOf(relation)}?limit=0`, { method, headers: { ...profile(schema), prefer } });
  const exact = await count("HEAD", "count=exact");
  const isRefused = exact.status === 400 && (await count("GET", "count=exact")).body.includes(`"exact_count_refused"`);
  const { status, headers } = isRefused ? await count("HEAD", "count=planned") : exact;
  if (isRefused && status === 400 && (await count("GET", "count=planned")).body.includes(`"estimate_refused"`))
    return true;
  const range = headers["content-range"];
  if (typeof range === "string" && /^\*\/\d+$/.test(range)) return isRefused;
  throw new Unexpected(`Content-Range */<count> of ${relation}`, `status ${status}, ${range?.toString() ?? "none"}`);
}

/** Returns the path of a relation as OpenAPI has it. Swagger has it without encoding (postgrest, OpenAPI.hs, `makePathItem`). */
function pathOf(relation: string): string {
  const others = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return `/${encodeURIComponent(relation).replace(/[.~!'()*]/g, others)}`;
}

/** Returns the relations that the Swagger document of a schema describes. */
async function relationsOf(send: Send, schema?: string): Promise<string[]> {
  const root = await send("/", { headers: profile(schema) });
  expectEqual("status of /", root.status, 200);
  const { swagger, paths = {} } = JSON.parse(root.body) as { swagger?: string; paths?: object };
  expectEqual("swagger", swagger, "2.0");
  const described = Object.keys(paths).filter((path) => path !== "/" && !path.startsWith("/rpc/"));
  return described.map((path) => path.slice(1));
}

/** Expects 404 for a relation that is not in the selected schema. */
async function unknownRelation(send: Send): Promise<string> {
  expectEqual("status", (await send("/gatehouse_no_such_relation")).status, 404);
  return "404";
}

/** Checks that `meta_endpoints` lists the described relations. */
async function listed(send: Send, exposed: readonly string[]): Promise<string> {
  let all = 0;
  for (const [index, schema] of exposed.entries()) {
    const described = await relationsOf(send, index === 0 ? undefined : schema);
    expectEqual(`relations of ${schema}`, (await endpoints(send, schema)).sort(), described.sort());
    all += described.length;
  }
  return `${all} relations, as described`;
}

/** Returns the relations that `meta_endpoints` lists, page by page: a response has no more rows than the limit. */
async function endpoints(send: Send, schema: string): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const page = `schema=eq.${schema}&select=relation&order=relation&offset=${names.length}`;
    const response = await send(`/meta_endpoints?${page}`);
    expectEqual("status of meta_endpoints", response.status, 200);
    const rows = JSON.parse(response.body) as { relation: string }[];
    if (rows.length === 0) return names;
    names.push(...rows.map(({ relation }) => relation));
  }
}

/** Checks that a relation of another schema returns 404 without Accept-Profile. */
async function needsProfile(send: Send, schema: string): Promise<string> {
  const own = await relationsOf(send);
  const others = (await relationsOf(send, schema)).filter((relation) => !own.includes(relation));
  for (const relation of others) expectEqual(`status of ${relation}`, (await send(pathOf(relation))).status, 404);
  return `404 for ${others.length} relations`;
}

/** Checks that a schema that is not exposed returns 404, and that the response does not contain its name. */
async function isHidden(send: Send, schema: string): Promise<string> {
  const response = await send("/", { headers: profile(schema) });
  expectEqual("status", response.status, 404);
  // The gateway's own text can contain the name by chance: "page".
  if (!isGatewayResponse(response) && response.body.includes(schema))
    throw new Unexpected("a response without the schema's name", "one that names it");
  return "404";
}

/** Checks that the description as OpenAPI 3.1 has the paths of the Swagger document. */
async function description(send: Send): Promise<string> {
  const response = await send("/openapi.json");
  expectEqual("status of /openapi.json", response.status, 200);
  const { openapi = "", paths = {} } = JSON.parse(response.body) as { openapi?: string; paths?: object };
  expectEqual("version", openapi.slice(0, 3), "3.1");
  const described = Object.keys(paths).filter((path) => path !== "/");
  expectEqual("paths", described.sort(), (await relationsOf(send)).map(pathOf).sort());
  return `${openapi}, ${described.length} paths`;
}

/**
 * Checks that an unchanged response has status 304, and every response `X-Max-Rows`. A write between two requests changes the tag, so a response with
 * another tag is requested again.
 */
export async function caching(send: Send, maxRows: number): Promise<string> {
  let last = await send("/meta_endpoints?limit=1");
  const [tag = "none", max = "none"] = ["etag", "x-max-rows"].map((name) => headerOf(last, name));
  expectEqual("X-Max-Rows", max, String(maxRows));
  const tags = new Set<string>();
  for (let current = tag; tags.size < MAX_TAGS && !tags.has(current); current = headerOf(last, "etag") ?? "none") {
    tags.add(current);
    last = await send("/meta_endpoints?limit=1", { headers: { "if-none-match": current } });
    if (last.status === 304) return `ETag ${current}, X-Max-Rows ${max}`;
    expectEqual("status", last.status, 200);
  }
  throw new Unexpected("status 304 for an unchanged response", `200 with ${tags.size} different tags`);
}

/** Checks that a page of any origin may read rows and their count. */
async function browsers(send: Send): Promise<string> {
  const response = await send("/meta_endpoints?limit=1", { headers: { origin: "https://example.org" } });
  expectEqual("Access-Control-Allow-Origin", headerOf(response, "access-control-allow-origin"), "*");
  const shown = headerOf(response, "access-control-expose-headers") ?? "";
  const missing = ["Content-Range", "Date"].filter((name) => !shown.includes(name));
  if (missing.length > 0) throw new Unexpected(`${missing.join(" and ")} among the exposed headers`, shown);
  return "any origin";
}

/** Checks the preflight request of a browser: any origin may read, without credentials. */
async function preflight(send: Send): Promise<string> {
  const headers = {
    origin: "https://example.org",
    "access-control-request-method": "GET",
    "access-control-request-headers": "accept-profile,prefer",
  };
  const response = await send("/meta_endpoints", { method: "OPTIONS", headers });
  expectEqual("status", response.status, 200);
  expectEqual("Access-Control-Allow-Origin", headerOf(response, "access-control-allow-origin"), "*");
  const methods = (headerOf(response, "access-control-allow-methods") ?? "").split(/, ?/).sort();
  expectEqual("Access-Control-Allow-Methods", methods, ["GET", "HEAD", "OPTIONS"]);
  expectEqual("Access-Control-Allow-Credentials", headerOf(response, "access-control-allow-credentials"), undefined);
  const allowed = (headerOf(response, "access-control-allow-headers") ?? "").toLowerCase().split(/, ?/);
  const missing = ["accept-profile", "prefer", "range"].filter((name) => !allowed.includes(name));
  expectEqual("headers that are not allowed", missing, []);
  return `${methods.join(", ")}, no credentials`;
}

/** Checks that the gateway redirects a query that PostgREST would need much memory for (docs/limits.md): its TraefikService has the limits. */
async function queryLimits(send: Send): Promise<string> {
  expectEqual("status of an order by an aggregate", (await send("/meta_endpoints?order=json_agg&limit=0")).status, 302);
  return "302 for an order by an aggregate";
}

/** Checks that other methods and functions have no route. */
async function readOnly(send: Send): Promise<string> {
  const headers = { "content-type": "application/json" };
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const response = await send("/meta_endpoints", { method, headers, body: "{}" });
    expectEqual(`status of ${method}`, response.status, 404);
  }
  const response = await send("/rpc/document");
  expectEqual("status of a function", response.status, 404);
  // PostgREST has its own 404 for a function that does not exist: the path would be routed.
  if (response.body.includes('"PGRST')) throw new Unexpected("a function without a route", "404 of PostgREST");
  return "404 for writes and functions";
}
