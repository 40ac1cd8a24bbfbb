import { PAGES } from "../../../catalog/pages.ts";
import { type HttpResponse, headerOf, type HttpClient, withClient } from "../../clients/http.ts";
import { type Check, checkResponses, expectEqual, Unexpected } from "../check.ts";

/** One path of each page, without a leading slash. */
const PATHS = Object.keys(PAGES).map((path) =>
  path.slice(1).replace(":schema", "api_v1").replace(":relation", "meta_endpoints").replace(":id", "some"),
);

/**
 * Checks the catalog of one domain (docs/catalog.md, Addresses): its page, the data API that the page reads, and 404 for other methods.
 * @param base its URL, with a slash at the end
 * @param data origin of the data API of the same domain
 */
export function checkCatalog(base: string, data: string): Promise<Check[]> {
  return withClient(async (client) => [
    await checkResponses(client, `${base}data`, () => pages(client, base, data)),
    await checkResponses(client, `${base}config.json`, () => config(client, base, data)),
    await checkResponses(client, `${base}data is read only`, () => readOnly(client, base)),
  ]);
}

/** Checks that the page is served at each of its paths, and that its policy allows connections to itself and that data API only. */
async function pages(client: HttpClient, base: string, data: string): Promise<string> {
  for (const path of PATHS) {
    const response = await client.send(base + path);
    expectEqual(`status of ${path}`, response.status, 200);
    expectEqual(`Content-Type of ${path}`, headerOf(response, "content-type"), "text/html; charset=utf-8");
    expectEqual(`connect-src of ${path}`, connectSource(response), `connect-src 'self' ${data}`);
  }
  expectEqual("status of an unknown path", (await client.send(`${base}nowhere`)).status, 404);
  return `200, talks to ${data}`;
}

/** Returns `connect-src` of the page's policy. @throws Unexpected for a policy that allows inline scripts */
function connectSource(response: HttpResponse): string | undefined {
  const policy = headerOf(response, "content-security-policy") ?? "";
  if (!policy.startsWith("default-src 'none';") || policy.includes("unsafe")) {
    throw new Unexpected("a Content-Security-Policy without exceptions", policy);
  }
  return policy.split("; ").find((directive) => directive.startsWith("connect-src "));
}

async function config(client: HttpClient, base: string, data: string): Promise<string> {
  const response = await client.send(`${base}config.json`);
  expectEqual("status", response.status, 200);
  expectEqual("baseUrl", (JSON.parse(response.body) as { baseUrl?: unknown }).baseUrl, data);
  return data;
}

async function readOnly(client: HttpClient, base: string): Promise<string> {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    expectEqual(`status of ${method}`, (await client.send(`${base}data`, { method })).status, 404);
  }
  return "404 for other methods";
}
