/** Descriptions of the API: Swagger 2.0 at the root and OpenAPI 3.1 at /openapi.json. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, inject, test } from "vitest";
import { ALWAYS, CACHED, JSON_TYPE, errorResponse } from "./expectedResponses.ts";
import { RELATIONS, SCHEMAS } from "./relations.ts";
import { sendRequest, rowsOf, responseTo } from "./apiClient.ts";

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
  return (await responseTo("GET /", { headers: { "Accept-Profile": schema } })).body as Swagger;
}

describe("Swagger 2.0 at the root", () => {
  test("has the gateway's address", async () => {
    const response = await responseTo("GET /");
    const { swagger: version, host, basePath, schemes } = response.body as Swagger;
    const type = "application/openapi+json; charset=utf-8";
    expect(response).toMatchObject({
      status: 200,
      headers: { ...ALWAYS, "content-type": type, "content-profile": "api_v1" },
    });
    const { hostname, port } = new URL(inject("data").url);
    // PostgREST also writes the scheme's default port.
    const address = { version: "2.0", host: `${hostname}:${port || 80}`, basePath: "/", schemes: ["http"] };
    expect({ version, host, basePath, schemes }).toEqual(address);
  });

  test("has no cache headers, since PostgREST 12.0.2 does not apply the database's headers to it", async () => {
    const kept = Object.keys((await responseTo("GET /")).headers).filter((name) => name in CACHED);
    expect(kept).toEqual([]);
  });

  test.each(SCHEMAS)("describes the relations of %s, and no other", async (schema) => {
    const { paths, definitions } = await swagger(schema);
    expect(Object.keys(paths).sort()).toEqual(["/", ...(RELATIONS[schema] ?? [])]);
    expect(
      Object.keys(definitions)
        .map((name) => `/${name}`)
        .sort(),
    ).toEqual(RELATIONS[schema]);
  });

  // PostgREST adds methods regardless of privileges; /openapi.json contains the allowed ones only.
  test.each(SCHEMAS)("has GET for every relation of %s", async (schema) => {
    for (const [path, methods] of Object.entries((await swagger(schema)).paths)) {
      expect([path, Object.keys(methods)[0]]).toEqual([path, "get"]);
    }
  });

  test("has the descriptions of relations and columns", async () => {
    const { definitions } = await swagger("marts");
    expect(definitions["fact_observation"]?.description).toBe("Invented observations");
    const { id, label } = definitions["fact_observation"]?.properties ?? {};
    expect(id?.description).toBe("Number of the observation\n\nNote:\nThis is a Primary Key.<pk/>");
    expect(label).toEqual({ description: "What was seen", format: "text", type: "string" });
  });

  test("has the descriptions of the source columns for a wrapper view", async () => {
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
  return (await responseTo(`GET /openapi.json${query}`)).body as OpenApi;
}

describe("OpenAPI 3.1 at /openapi.json", () => {
  test("has the headers of other responses", async () => {
    const { status, headers } = await responseTo("GET /openapi.json");
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

  test("describes the default schema without a parameter", async () => {
    expect(await openApi()).toEqual(await openApi("?schema=api_v1"));
  });

  test("contains the limits", async () => {
    const { info } = await openApi();
    for (const limit of ["1000 rows", "60 seconds", "5s", "1000000 rows"]) expect(info.description).toContain(limit);
  });

  test.each(SCHEMAS)("has no unresolved reference for %s, and schemas that compile", async (schema) => {
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
  ])("describes the rows of %s.%s", async (schema, relation) => {
    const { components } = await openApi(`?schema=${schema}`);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components });
    const validate = ajv.compile({ type: "array", items: { $ref: `document#/components/schemas/${relation}` } });
    const rows = await rowsOf(`GET /${relation}?limit=50`, { headers: { "Accept-Profile": schema } });
    expect([validate(rows), validate.errors, rows.length > 0]).toEqual([true, null, true]);
    expect(validate([{ ...rows[0], [Object.keys(rows[0] ?? {})[0] ?? ""]: { no: "such type" } }])).toBe(false);
  });

  test.each(["private_marts", "gatehouse", "catalog", "nothing", ""])(
    "returns 404 for the schema %j",
    async (schema) => {
      const error = { code: "not_found", message: "there is no such schema" };
      const response = await responseTo(`GET /openapi.json?schema=${schema}`);
      expect(response).toEqual(errorResponse(404, error, { "cache-control": "no-store" }));
    },
  );

  test.each(["nothing=1", "schema=marts&nothing=1"])("returns 404 for an unknown parameter: %s", async (query) => {
    const response = await sendRequest(`GET /openapi.json?${query}`);
    expect([response.status, (JSON.parse(response.body) as { code: string }).code]).toEqual([404, "PGRST202"]);
  });
});

function resolve(document: object, reference: string): unknown {
  const parts = reference.replace(/^#\//, "").split("/");
  const names = parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}
