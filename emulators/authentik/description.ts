import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import type { ErrorObject, ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { parse } from "yaml";
import { isEmail, isUrl } from "./formats.ts";
import type { Fields } from "./objects.ts";

type Schema = {
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  default?: unknown;
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  writeOnly?: boolean;
  additionalProperties?: unknown;
};
type Description = { paths: Record<string, unknown>; components: { schemas: Record<string, Schema> } };

/** The API schema of authentik, as far as the emulator implements it. Requests are validated and responses completed with it. */
export const description = parse(readFileSync(new URL("openapi.yaml", import.meta.url), "utf8")) as Description;
const schemas = description.components.schemas;

/** Fields that are not in the schema: those of 2026.5 (the schema is of 2026.2), and a stage that only blueprints write. */
const UNDESCRIBED: Record<string, string[]> = {
  Application: ["meta_hide"],
  OAuth2Provider: ["grant_types"],
  UserLoginStage: ["name", "session_duration"],
};

const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: true });
formats.default(ajv);
ajv.addFormat("email", isEmail);
ajv.addFormat("uri", isUrl);
ajv.addSchema({ $id: "authentik", components: { schemas: withNulls(schemas) } });
const validators = new Map<string, ValidateFunction>();

/** Returns the problems of a value with a schema of the API, as authentik reports them: field → messages. Undefined = none. */
export function problemsOf(schema: string, value: unknown): Record<string, string[]> | undefined {
  if (!(schema in schemas)) return undefined;
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile({ $ref: `authentik#/components/schemas/${schema}` });
    validators.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const problems: Record<string, string[]> = {};
  for (const error of validate.errors ?? []) (problems[fieldOf(error)] ??= []).push(messageOf(error));
  return problems;
}

/** Returns the fields of the schema; a required one that is missing gets a value of its type. */
export function fill(schema: string, object: Fields): Fields {
  const { properties = {}, required = [] } = schemas[schema] ?? {};
  const answer: Fields = {};
  for (const [name, property] of Object.entries(properties)) {
    if (property.writeOnly) continue;
    if (object[name] !== undefined) answer[name] = object[name];
    else if (required.includes(name)) answer[name] = emptyValue(property);
  }
  for (const name of UNDESCRIBED[schema] ?? []) if (object[name] !== undefined) answer[name] = object[name];
  return answer;
}

/** Returns the values that a field can have; undefined if it is not one of choices. */
export function choicesOf(schema: string, field: string): string[] | undefined {
  const property = schemas[schema]?.properties?.[field];
  return property && referred(property)?.enum?.map(String);
}

/** The fields of a request that an object of this schema takes over. */
export function writable(schema: string, body: Fields): Fields {
  const known = [...Object.keys(schemas[`${schema}Request`]?.properties ?? {}), ...(UNDESCRIBED[schema] ?? [])];
  return Object.fromEntries(Object.entries(body).filter(([name]) => known.includes(name)));
}

/** A request's texts without white space around them, as Django REST framework reads them (measured on authentik 2026.5); JSON values stay as they are. */
export function trimmed(schema: string, body: Fields): Fields {
  const isJson = (name: string) => schemas[`${schema}Request`]?.properties?.[name]?.additionalProperties !== undefined;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isJson(name) ? value : withoutOuterSpace(value)]),
  );
}

function withoutOuterSpace(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(withoutOuterSpace);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutOuterSpace(entry)]));
}

function referred(property: Schema): Schema | undefined {
  const reference = property.$ref ?? property.allOf?.[0]?.$ref;
  return reference ? schemas[reference.slice(reference.lastIndexOf("/") + 1)] : property;
}

function emptyValue(property: Schema): unknown {
  if (property.nullable) return null;
  const schema = referred(property);
  if (schema?.enum) return schema.enum[0];
  const byType: Record<string, unknown> = { boolean: false, integer: 0, number: 0, array: [], object: {} };
  return byType[schema?.type ?? "string"] ?? "";
}

/** Converts `nullable` of OpenAPI 3.0 to the type `null` of JSON Schema. */
export function withNulls(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNulls);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNulls(value)]));
  if (copy["nullable"] !== true) return copy;
  delete copy["nullable"];
  return { anyOf: [{ type: "null" }, copy] };
}

function fieldOf(error: ErrorObject): string {
  const missing = (error.params as { missingProperty?: string }).missingProperty;
  return (missing ?? error.instancePath.split("/")[1]) || "non_field_errors";
}

function messageOf(error: ErrorObject): string {
  const { format = "" } = error.params as { format?: string };
  const named = { email: "Enter a valid email address.", uri: "Enter a valid URL." }[format];
  if (named !== undefined) return named;
  return error.keyword === "required" ? "This field is required." : `This value ${error.message ?? "is not valid"}.`;
}
