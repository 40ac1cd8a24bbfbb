import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrap } from "../../../local/authentik/bootstrap.ts";
import { description } from "../../../local/authentik/description.ts";
import { selfSigned } from "../../../local/authentik/certificate.ts";
import type { Stored } from "../../../local/authentik/objects.ts";
import { create, resources } from "../../../local/authentik/resources.ts";
import type { World } from "../../../local/authentik/resources.ts";
import { restApi } from "../../../local/authentik/rest.ts";
import { Store } from "../../../local/authentik/store.ts";
import sequences from "./traffic.json" with { type: "json" };

type Json = Record<string, unknown>;
type Call = { method: string; path: string; query?: string; body?: unknown; status: number; response?: unknown };

const token = "test-token";
const pair = selfSigned("test");
let world: World;
let api: ReturnType<typeof restApi>;

function fresh(): void {
  world = { store: new Store(), secretKey: "test" };
  bootstrap(world, { token });
  api = restApi(world, () => undefined);
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

/** The schema of an answer in the description, found by method, path and status. */
const ajv = new Ajv({ strict: false, unicodeRegExp: true });
formats.default(ajv);
function withoutNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNullable);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, withoutNullable(v)]));
  return nullable === true ? { anyOf: [{ type: "null" }, rest] } : rest;
}
ajv.addSchema({ $id: "api", components: withoutNullable(description.components) });

const patterns = Object.keys(description.paths).sort((a, b) => a.split("{").length - b.split("{").length);
const validators = new Map<string, ValidateFunction>();

function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const pattern = patterns.find((one) =>
    new RegExp(`^${one.replace(/\{\w+\}/g, "[^/]+")}$`).test(path.split("?")[0] ?? ""),
  );
  const operation = (description.paths[pattern ?? ""] as Record<string, { responses: Json }>)[method.toLowerCase()];
  const response = operation?.responses[String(status)] as { content?: Record<string, { schema: { $ref: string } }> };
  const reference = response.content?.["application/json"]?.schema.$ref;
  if (reference === undefined) return expect(body).toEqual({});
  const validate = validators.get(reference) ?? ajv.compile({ $ref: `api${reference}` });
  validators.set(reference, validate);
  validate(body);
  expect(validate.errors, `${method} ${path}`).toBeNull();
}

/** Every object that the recording names, as it stood in an answer; the recording itself leaves many creates out. */
const recorded = (sequences as { calls: Call[] }[])
  .flatMap(({ calls }) => calls)
  .flatMap(({ path, response }) => {
    const resource = resources.find((one) => path.startsWith(`/api/v3${one.path}`));
    const answer = response as Json | undefined;
    const objects = (answer?.["results"] ?? [answer]) as (Json | undefined)[];
    return objects.flatMap((object) => {
      const pk = object?.["brand_uuid"] ?? object?.["pk"];
      return resource && object && pk !== undefined ? [{ resource, object: { ...object, pk } as Stored }] : [];
    });
  });

function plant(): void {
  for (const { resource, object } of recorded) {
    const own = resource.kind === "keypair" ? pair : {};
    world.store.put(resource.kind, { ...create(world, resource), ...object, ...own });
  }
}

/** What a create of the recording would collide with. */
function makeRoom(path: string, body: Json): void {
  const resource = resources.find((one) => one.path === path);
  for (const field of resource?.unique ?? []) {
    for (const object of resource ? (world.store.list(resource.kind) as Stored[]) : []) {
      if (object[field] === body[field] && resource) world.store.remove(resource.kind, object.pk);
    }
  }
}

describe("what the real provider sent and got", () => {
  beforeAll(fresh);
  test.each(sequences as { what: string; calls: Call[] }[])("$what", async ({ calls }) => {
    for (const { method, path, query, body, status } of calls) {
      plant();
      const target = path.replace("/api/v3", "") + (query === undefined ? "" : `?${query}`);
      const sent = body as Json | undefined;
      if (method === "POST" && sent) makeRoom(target, sent);
      const answer = await call(method, target, sent && "certificate_data" in sent ? { ...sent, ...pair } : sent);
      expect(answer.status, `${method} ${target} ${JSON.stringify(answer.body)}`).toBe(status);
      if (status < 300) expectDescribed(method, target, status, answer.body);
      if (status < 300 && method !== "DELETE" && sent && !target.endsWith("/set_password/")) {
        const { property_mappings = [], ...echoed } = sent;
        for (const secret of ["certificate_data", "key_data"]) delete echoed[secret];
        expect(answer.body).toMatchObject(echoed);
        expect(answer.body["property_mappings"] ?? []).toEqual(expect.arrayContaining(property_mappings as string[]));
      }
    }
  });
});
