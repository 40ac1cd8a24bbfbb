import { randomUUID } from "node:crypto";
import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { expect } from "vitest";
import { selfSigned } from "../../authentik/certificate.ts";
import { description, withNulls } from "../../authentik/description.ts";

type Json = Record<string, unknown>;

/** The schema of an answer in the description, found by method, path and status. */
const ajv = new Ajv({ strict: false, unicodeRegExp: true });
formats.default(ajv);
ajv.addSchema({ $id: "api", components: withNulls(description.components) });

const patterns = Object.keys(description.paths).sort((a, b) => a.split("{").length - b.split("{").length);
const validators = new Map<string, ValidateFunction>();

/** Fails unless a response fits the API schema of this method, path and status. */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
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

/** A certificate and its key, in place of the recorded ones, which are incomplete. */
export const pair = selfSigned("test");

/** The required fields of an object of any resource. */
export const anything = {
  name: "n",
  slug: "s",
  username: "u",
  identifier: "i",
  domain: "d",
  title: "t",
  designation: "authentication",
  external_host: "http://app.test",
  authorization_flow: randomUUID(),
  invalidation_flow: randomUUID(),
  expression: "return {}",
  scope_name: "s",
  target: randomUUID(),
  order: 0,
  user: 9999,
  ...pair,
};

export function nameOf(object: Json): unknown {
  return object["slug"] ?? object["name"] ?? object["domain"];
}

/** Returns the fields of a request that its response repeats: all but a certificate and its key, texts trimmed; a proxy provider adds mappings. */
export function echo(sent: Json): Json {
  const { property_mappings, ...echoed } = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]),
  );
  for (const secret of ["certificate_data", "key_data"]) delete echoed[secret];
  return {
    ...echoed,
    ...(property_mappings
      ? { property_mappings: expect.arrayContaining(property_mappings as unknown[]) as unknown }
      : {}),
  };
}
