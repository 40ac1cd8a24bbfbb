/** What the API says about itself: Swagger 2.0 at the root, OpenAPI 3.1 beside it. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, inject, test } from "vitest";
import { ALWAYS, CACHED, JSON_TYPE, refused } from "./answers.ts";
import { RELATIONS, SCHEMAS } from "./relations.ts";
import { ask, rowsOf, told } from "./api-client.ts";

interface Property {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
}

interface Swagger {
  readonly swagger: string;
  readonly host: string;
  readonly basePath: string;
  readonly schemes: readonly string[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly definitions: Readonly<Record<string, { description?: string; properties: Record<string, Property> }>>;
}

async function swagger(schema: string): Promise<Swagger> {
  return (await told("GET /", { headers: { "Accept-Profile": schema } })).body as Swagger;
}

describe("the root is Swagger 2.0", () => {
  test("with the address behind the gateway", async () => {
    const answer = await told("GET /");
    const { swagger: version, host, basePath, schemes } = answer.body as Swagger;
    const type = "application/openapi+json; charset=utf-8";
    expect(answer).toMatchObject({
      status: 200,
      headers: { ...ALWAYS, "content-type": type, "content-profile": "api_v1" },
    });
    const { hostname, port } = new URL(inject("data").url);
    // PostgREST writes the port also where it is the scheme's own.
    const address = { version: "2.0", host: `${hostname}:${port || 80}`, basePath: "/", schemes: ["http"] };
    expect({ version, host, basePath, schemes }).toEqual(address);
  });

  test("that nobody keeps, since PostgREST 12.0.2 sets no headers of the database on it", async () => {
    const kept = Object.keys((await told("GET /")).headers).filter((name) => name in CACHED);
    expect(kept).toEqual([]);
  });

  test.each(SCHEMAS)("of every relation in %s, and nothing else", async (schema) => {
    const { paths, definitions } = await swagger(schema);
    expect(Object.keys(paths).sort()).toEqual(["/", ...(RELATIONS[schema] ?? [])]);
    expect(
      Object.keys(definitions)
        .map((name) => `/${name}`)
        .sort(),
    ).toEqual(RELATIONS[schema]);
  });

  // PostgREST adds the methods that a relation could take, whoever may use them; /openapi.json has what there is.
  test.each(SCHEMAS)("of %s has GET of every relation", async (schema) => {
    for (const [path, methods] of Object.entries((await swagger(schema)).paths)) {
      expect([path, Object.keys(methods)[0]]).toEqual([path, "get"]);
    }
  });

  test("with the descriptions of relations and columns", async () => {
    const { definitions } = await swagger("marts");
    expect(definitions["fact_observation"]?.description).toBe("Invented observations");
    const { id, label } = definitions["fact_observation"]?.properties ?? {};
    expect(id?.description).toBe("Number of the observation\n\nNote:\nThis is a Primary Key.<pk/>");
    expect(label).toEqual({ description: "What was seen", format: "text", type: "string" });
  });

  test("where a wrapper view has those of the columns that it passes on", async () => {
    const { definitions } = await swagger("api_v1");
    expect(definitions["observation"]?.description).toBe("Invented observations");
    const properties = definitions["observation"]?.properties ?? {};
    expect(properties["id"]?.description).toContain("Number of the observation");
    expect(properties["observed"]?.description).toBe("What was seen");
    expect(properties["amount"]?.description).toBe(undefined);
    expect(definitions["distrikt_summary"]?.properties["kommuner"]?.description).toBe(
      "Number of municipalities in the county",
    );
    expect(definitions["indicator_summary"]?.properties["value"]?.description).toBe("Value of the indicator");
  });
});

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { parameters?: readonly unknown[]; get: Operation }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
}

async function openApi(query = ""): Promise<OpenApi> {
  return (await told(`GET /openapi.json${query}`)).body as OpenApi;
}

describe("OpenAPI 3.1 at /openapi.json", () => {
  test("is an answer like others, and names no schema but the one that it describes", async () => {
    const { status, headers } = await told("GET /openapi.json");
    const expected = {
      ...ALWAYS,
      ...CACHED,
      "content-type": JSON_TYPE,
      "content-range": "0-0/*",
      "x-max-rows": "1000",
    };
    expect({ status, headers }).toEqual({ status: 200, headers: expected });
  });

  test.each(SCHEMAS)("describes the same relations of %s as the root", async (schema) => {
    const { openapi, info, servers, paths } = await openApi(`?schema=${schema}`);
    expect([openapi, info.title, servers]).toEqual(["3.1.0", schema, [{ url: "/" }]]);
    expect(Object.keys(paths).sort()).toEqual(RELATIONS[schema]);
    for (const [path, item] of Object.entries(paths)) {
      expect([
        path,
        Object.keys(item)
          .filter((key) => key !== "parameters")
          .sort(),
      ]).toEqual([path, ["get", "head"]]);
      expect(Object.keys(item.get.responses)).toContain("200");
    }
  });

  test("is the default schema's without a parameter", async () => {
    expect(await openApi()).toEqual(await openApi("?schema=api_v1"));
  });

  test("states the limits", async () => {
    const { info } = await openApi();
    for (const limit of ["1000 rows", "60 seconds", "5s", "1000000 rows"]) expect(info.description).toContain(limit);
  });

  test.each(SCHEMAS)("of %s has no reference that leads nowhere, and schemas that compile", async (schema) => {
    const document = await openApi(`?schema=${schema}`);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":\s*"([^"]*)"/g)].map(([, to = ""]) => to);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of new Set(references))
      expect([reference, typeof resolve(document, reference)]).toEqual([reference, "object"]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: document.components });
    for (const name of Object.keys(document.components["schemas"] ?? {})) {
      expect(typeof ajv.compile({ $ref: `document#/components/schemas/${encodeURIComponent(name)}` })).toBe("function");
    }
  });

  test.each([
    ["marts", "fact_observation"],
    ["marts", "dim_kommune"],
    ["api_v1", "observation"],
    ["api_v1", "meta_endpoints"],
    ["raw", "ssb_kommuner"],
  ])("describes the rows that %s.%s really has", async (schema, relation) => {
    const { components } = await openApi(`?schema=${schema}`);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components });
    const validate = ajv.compile({ type: "array", items: { $ref: `document#/components/schemas/${relation}` } });
    const rows = await rowsOf(`GET /${relation}?limit=50`, { headers: { "Accept-Profile": schema } });
    expect([validate(rows), validate.errors, rows.length > 0]).toEqual([true, null, true]);
    expect(validate([{ ...rows[0], [Object.keys(rows[0] ?? {})[0] ?? ""]: { no: "such type" } }])).toBe(false);
  });

  test.each(["private_marts", "gatehouse", "catalog", "nothing", ""])("has no schema %j", async (schema) => {
    const fault = { code: "not_found", message: "there is no such schema" };
    const answer = await told(`GET /openapi.json?schema=${schema}`);
    expect(answer).toEqual(refused(404, fault, { "cache-control": "no-store" }));
  });

  test.each(["nothing=1", "schema=marts&nothing=1"])("takes no other parameter: %s", async (query) => {
    const answer = await ask(`GET /openapi.json?${query}`);
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([404, "PGRST202"]);
  });
});

function resolve(document: object, reference: string): unknown {
  const parts = reference.replace(/^#\//, "").split("/");
  const names = parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}
