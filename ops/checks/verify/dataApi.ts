import { setTimeout } from "node:timers/promises";
import type { OutsideTarget } from "../../../infra/verification/target.ts";
import { type Answer, headerOf, type HttpClient, type RequestOptions, withClient } from "../../clients/http.ts";
import { type Check, checkAnswers, expectEqual, Unexpected } from "../check.ts";

/** The part of a Swagger 2.0 document that is read here. */
interface Swagger {
  readonly swagger?: string;
  readonly paths?: Readonly<Record<string, unknown>>;
}

/** A schema that no stack can have: this prefix is reserved. */
const UNKNOWN_SCHEMA = "pg_unknown_schema";

/** Number of different tags after which a tag counts as one that no response repeats. */
const MAX_TAGS = 10;

/** Retries after a 429 response: the gateway's limits apply to the verification, too. */
const MAX_RETRIES = 10;

/**
 * The data API (spec 001, Endpoints and Errors), with every relation that each exposed schema describes.
 * @param url origin of the data API
 */
export function checkDataApi(url: string, { exposed, hidden }: OutsideTarget["schemas"]): Promise<Check[]> {
  return withClient(async (unlimited) => {
    const client = { ...unlimited, send: retrying(unlimited) };
    const [first, ...others] = exposed;
    const checks = [
      await checkSchema(client, url, first ?? "", undefined),
      await checkUnknownRelation(client, url),
      await checkDescription(client, url),
      await checkListed(client, url, exposed),
      await checkCaching(client, url),
      await checkBrowsers(client, url),
      await checkPreflight(client, url),
      await checkReadOnly(client, url),
    ];
    for (const schema of others) {
      checks.push(await checkSchema(client, url, schema, schema));
      checks.push(await checkNeedsProfile(client, url, schema));
    }
    for (const schema of [...hidden, UNKNOWN_SCHEMA]) checks.push(await checkHidden(client, url, schema));
    return checks;
  });
}

function retrying(client: HttpClient): HttpClient["send"] {
  return async (url: string, options?: RequestOptions): Promise<Answer> => {
    let answer = await client.send(url, options);
    for (let attempt = 0; answer.status === 429 && attempt < MAX_RETRIES; attempt += 1) {
      await setTimeout(1000 * Number(headerOf(answer, "retry-after") ?? 1));
      answer = await client.send(url, options);
    }
    return answer;
  };
}

/**
 * Every relation of the schema answers rows as a JSON array, and its count: the exact one, or where the relation has more rows than
 * `exact_count_rows` the planned one, unless the API refuses it (docs/limits.md).
 */
function checkSchema(client: HttpClient, url: string, schema: string, profile: string | undefined): Promise<Check> {
  const headers: Record<string, string> = profile === undefined ? {} : { "accept-profile": profile };
  return checkAnswers(client, `${url} schema ${schema}`, async () => {
    const relations = await relationsOf(client, url, headers);
    let large = 0;
    for (const relation of relations) {
      const rows = await client.send(`${url}/${relation}?limit=1`, { headers });
      expectEqual(`status of ${relation}`, rows.status, 200);
      expectEqual(`${relation} is an array`, Array.isArray(JSON.parse(rows.body)), true);
      if (await isExactCountRefused(client, `${url}/${relation}`, headers)) large += 1;
    }
    const uncounted = large === 0 ? "" : `; ${large} of them above exact_count_rows`;
    return `${relations.length} relations with rows and counts${uncounted}`;
  });
}

/** @throws Unexpected when the relation has no count, although the API counts or estimates it */
async function isExactCountRefused(client: HttpClient, relation: string, own: Record<string, string>) {
  const count = (method: string, prefer: string): Promise<Answer> =>
    client.send(`${relation}?limit=0`, { method, headers: { ...own, prefer } });
  const exact = await count("HEAD", "count=exact");
  const isRefused = exact.status === 400 && (await count("GET", "count=exact")).body.includes(`"exact_count_refused"`);
  const { status, headers } = isRefused ? await count("HEAD", "count=planned") : exact;
  if (isRefused && status === 400 && (await count("GET", "count=planned")).body.includes(`"estimate_refused"`))
    return true;
  const range = headers["content-range"];
  if (typeof range === "string" && /^\*\/\d+$/.test(range)) return isRefused;
  throw new Unexpected(`Content-Range */<count> of ${relation}`, `status ${status}, ${range?.toString() ?? "none"}`);
}

async function relationsOf(client: HttpClient, url: string, headers: Record<string, string>): Promise<string[]> {
  const root = await client.send(`${url}/`, { headers });
  expectEqual("status of /", root.status, 200);
  const description = JSON.parse(root.body) as Swagger;
  expectEqual("swagger", description.swagger, "2.0");
  return Object.keys(description.paths ?? {})
    .filter((path) => path !== "/" && !path.startsWith("/rpc/"))
    .map((path) => path.slice(1));
}

/** Spec 001, Errors: a relation that is not in the selected schema. */
function checkUnknownRelation(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} unknown relation`, async () => {
    expectEqual("status", (await client.send(`${url}/gatehouse_no_such_relation`)).status, 404);
    return "404";
  });
}

/** The described relations are those that `meta_endpoints` lists. */
function checkListed(client: HttpClient, url: string, exposed: readonly string[]): Promise<Check> {
  return checkAnswers(client, `${url} meta_endpoints`, async () => {
    let all = 0;
    for (const [index, schema] of exposed.entries()) {
      const described = await relationsOf(client, url, index === 0 ? {} : { "accept-profile": schema });
      expectEqual(`relations of ${schema}`, (await listed(client, url, schema)).sort(), described.sort());
      all += described.length;
    }
    return `${all} relations, as described`;
  });
}

/** Page by page: an answer has no more rows than the limit. */
async function listed(client: HttpClient, url: string, schema: string): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const page = `schema=eq.${schema}&select=relation&order=relation&offset=${names.length}`;
    const answer = await client.send(`${url}/meta_endpoints?${page}`);
    expectEqual("status of meta_endpoints", answer.status, 200);
    const rows = JSON.parse(answer.body) as { relation: string }[];
    if (rows.length === 0) return names;
    names.push(...rows.map(({ relation }) => relation));
  }
}

/** Rule 1 of the spec: without Accept-Profile a relation of another schema answers 404. */
function checkNeedsProfile(client: HttpClient, url: string, schema: string): Promise<Check> {
  return checkAnswers(client, `${url} ${schema} without Accept-Profile`, async () => {
    const own = await relationsOf(client, url, {});
    const others = (await relationsOf(client, url, { "accept-profile": schema })).filter(
      (relation) => !own.includes(relation),
    );
    for (const relation of others) {
      expectEqual(`status of ${relation}`, (await client.send(`${url}/${relation}`)).status, 404);
    }
    return `404 for ${others.length} relations`;
  });
}

/** Rule 2 of the spec: a schema that is not exposed answers 404, and is named nowhere in the answer. */
function checkHidden(client: HttpClient, url: string, schema: string): Promise<Check> {
  return checkAnswers(client, `${url} schema ${schema} is hidden`, async () => {
    const answer = await client.send(`${url}/`, { headers: { "accept-profile": schema } });
    expectEqual("status", answer.status, 404);
    if (answer.body.includes(schema)) {
      throw new Unexpected("an answer without the schema's name", "one that names it");
    }
    return "404";
  });
}

/** The description as OpenAPI 3.1 has the paths of the Swagger document. */
function checkDescription(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} OpenAPI`, async () => {
    const answer = await client.send(`${url}/openapi.json`);
    expectEqual("status of /openapi.json", answer.status, 200);
    const { openapi = "", paths = {} } = JSON.parse(answer.body) as { openapi?: string; paths?: object };
    expectEqual("version", openapi.slice(0, 3), "3.1");
    const described = Object.keys(paths).filter((path) => path !== "/");
    expectEqual("paths", described.sort(), (await relationsOf(client, url, {})).map((name) => `/${name}`).sort());
    return `${openapi}, ${described.length} paths`;
  });
}

/**
 * Returns 304 for an unchanged response, and `X-Max-Rows` with every response. A write between two requests changes the tag, so a response with
 * another tag is requested again.
 */
export function checkCaching(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} caching and limits`, async () => {
    let last = await client.send(`${url}/meta_endpoints?limit=1`);
    const [tag = "none", max = "none"] = ["etag", "x-max-rows"].map((name) => headerOf(last, name));
    if (!/^[1-9]\d*$/.test(max)) throw new Unexpected("X-Max-Rows", max);
    const tags = new Set<string>();
    for (let current = tag; tags.size < MAX_TAGS && !tags.has(current); current = headerOf(last, "etag") ?? "none") {
      tags.add(current);
      last = await client.send(`${url}/meta_endpoints?limit=1`, { headers: { "if-none-match": current } });
      if (last.status === 304) return `ETag ${current}, X-Max-Rows ${max}`;
      expectEqual("status", last.status, 200);
    }
    throw new Unexpected("status 304 for an unchanged response", `200 with ${tags.size} different tags`);
  });
}

/** A page of any origin may read rows and their count. */
function checkBrowsers(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} CORS`, async () => {
    const answer = await client.send(`${url}/meta_endpoints?limit=1`, { headers: { origin: "https://example.org" } });
    expectEqual("Access-Control-Allow-Origin", headerOf(answer, "access-control-allow-origin"), "*");
    const shown = headerOf(answer, "access-control-expose-headers") ?? "";
    if (!shown.includes("Content-Range")) throw new Unexpected("Content-Range among the exposed headers", shown);
    return "any origin";
  });
}

/** The preflight request of a browser: any origin may read, without credentials. */
function checkPreflight(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} CORS preflight`, async () => {
    const preflight = {
      "access-control-request-method": "GET",
      "access-control-request-headers": "accept-profile,prefer",
    };
    const headers = { origin: "https://example.org", ...preflight };
    const answer = await client.send(`${url}/meta_endpoints`, { method: "OPTIONS", headers });
    expectEqual("status", answer.status, 200);
    expectEqual("Access-Control-Allow-Origin", headerOf(answer, "access-control-allow-origin"), "*");
    const methods = (headerOf(answer, "access-control-allow-methods") ?? "").split(/, ?/).sort();
    expectEqual("Access-Control-Allow-Methods", methods, ["GET", "HEAD", "OPTIONS"]);
    expectEqual("Access-Control-Allow-Credentials", headerOf(answer, "access-control-allow-credentials"), undefined);
    const allowed = (headerOf(answer, "access-control-allow-headers") ?? "").toLowerCase().split(/, ?/);
    const missing = ["accept-profile", "prefer", "range"].filter((name) => !allowed.includes(name));
    expectEqual("headers that are not allowed", missing, []);
    return `${methods.join(", ")}, no credentials`;
  });
}

/** Other methods and functions have no route. */
function checkReadOnly(client: HttpClient, url: string): Promise<Check> {
  return checkAnswers(client, `${url} is read only`, async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const headers = { "content-type": "application/json" };
      const answer = await client.send(`${url}/meta_endpoints`, { method, headers, body: "{}" });
      expectEqual(`status of ${method}`, answer.status, 404);
    }
    expectEqual("status of a function", (await client.send(`${url}/rpc/document`)).status, 404);
    return "404 for writes and functions";
  });
}
