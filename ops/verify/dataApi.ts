import type { SchemaPlan } from "../../infra/plan/types.ts";
import { headerOf, type HttpClient, withClient } from "../http.ts";
import { type Check, check, expectEqual, Unexpected } from "./check.ts";

/** The part of a Swagger 2.0 document that is read here. */
interface Swagger {
  readonly swagger?: string;
  readonly paths?: Readonly<Record<string, unknown>>;
}

/**
 * The contract of the wire (spec 001, Endpoints and Errors), probed on every relation that each exposed schema describes.
 * @param url origin of the data API
 */
export function checkDataApi(url: string, schemas: readonly SchemaPlan[]): Promise<Check[]> {
  return withClient(async (client) => {
    const [first, ...others] = schemas.filter(({ exposed }) => exposed).map(({ name }) => name);
    const checks = [await checkSchema(client, url, first ?? "", undefined)];
    for (const schema of others) {
      checks.push(await checkSchema(client, url, schema, schema));
      checks.push(await checkNeedsProfile(client, url, schema));
    }
    for (const { name } of schemas.filter(({ exposed }) => !exposed)) {
      checks.push(await checkHidden(client, url, name));
    }
    return checks;
  });
}

/** Every relation of the schema answers rows as a JSON array, and its exact count. */
function checkSchema(client: HttpClient, url: string, schema: string, profile: string | undefined): Promise<Check> {
  const headers: Record<string, string> = profile === undefined ? {} : { "accept-profile": profile };
  return check(`${url} schema ${schema}`, async () => {
    const relations = await relationsOf(client, url, headers);
    for (const relation of relations) {
      const rows = await client.send(`${url}/${relation}?limit=1`, { headers });
      expectEqual(`status of ${relation}`, rows.status, 200);
      expectEqual(`${relation} is an array`, Array.isArray(JSON.parse(rows.body)), true);
      const count = await client.send(`${url}/${relation}?limit=0`, {
        method: "HEAD",
        headers: { ...headers, prefer: "count=exact" },
      });
      if (!/^\*\/\d+$/.test(headerOf(count, "content-range") ?? "")) {
        throw new Unexpected(`Content-Range */<count> of ${relation}`, headerOf(count, "content-range") ?? "none");
      }
    }
    return `${relations.length} relations with rows and exact counts`;
  });
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

/** Rule 1 of the spec: without Accept-Profile a relation of another schema answers 404. */
function checkNeedsProfile(client: HttpClient, url: string, schema: string): Promise<Check> {
  return check(`${url} ${schema} without Accept-Profile`, async () => {
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
  return check(`${url} schema ${schema} is hidden`, async () => {
    const answer = await client.send(`${url}/`, { headers: { "accept-profile": schema } });
    expectEqual("status", answer.status, 404);
    if (answer.body.includes(schema)) {
      throw new Unexpected("an answer without the schema's name", "one that names it");
    }
    return "404";
  });
}
