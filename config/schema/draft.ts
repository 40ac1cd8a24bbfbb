/** First pass: one section or entry against its zod shape; zod's issues become problems in terms of the stack file. */
import { z } from "zod";
import { type Problem, suggestion } from "../errors/problems.ts";
import { HIDDEN_KEYS } from "./fields.ts";
import { isSection, type Location, within } from "../errors/location.ts";

/** A section or an entry after its fields were checked. */
export interface Draft<T> {
  readonly location: Location;
  /** All of it, with defaults; undefined when any of it is wrong. */
  readonly value: T | undefined;
  /** As written. */
  readonly raw: unknown;
  /** The fields that are right, so that rules across entries also reach entries with a problem. */
  readonly fields: Partial<T>;
}

type Key = string | number;

/** Schemas of the entries of a list, by their `type`. */
type Variants = Readonly<Record<string, z.ZodObject>>;

/**
 * Checks `raw` against the schema of an object.
 * @param problems receives what is wrong
 * @param variants of an entry of a list, all schemas that it can have
 */
export function check<S extends z.ZodObject>(
  schema: S,
  raw: unknown,
  location: Location,
  problems: Problem[],
  variants: Variants = {},
): Draft<z.output<S>> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { location, raw, value: parsed.data, fields: parsed.data };
  problems.push(...problemsOf(parsed.error.issues, { schema, variants, raw, location }));
  return { location, raw, value: undefined, fields: rightFields(schema, raw) };
}

/** Checks an entry of a list against the schema of its `type`; without a known type, each field against the first schema that has it. */
export function checkEntry(raw: unknown, location: Location, problems: Problem[], variants: Variants): Draft<unknown> {
  const type = nameOf(raw, "type") ?? "";
  const schema = Object.hasOwn(variants, type) ? variants[type] : undefined;
  if (schema) return check(schema, raw, location, problems, variants);
  const [first = z.object(), ...others] = Object.values(variants);
  const parsed = z.discriminatedUnion("type", [first, ...others]).safeParse(raw);
  const types = Object.keys(variants);
  const shapes = [...others.toReversed(), first].map(({ shape }) => shape as z.ZodRawShape);
  const any = z.object({
    ...(Object.assign({}, ...shapes) as object),
    type: z.enum(types).describe(alternatives(types)),
  });
  problems.push(...problemsOf(parsed.error?.issues ?? [], { schema: any, variants, raw, location }));
  return { location, raw, value: undefined, fields: rightFields(any, raw) };
}

/** Returns whether a field is left out, and not merely wrong. */
export function isLeftOut<T>({ raw, fields }: Draft<T>, key: keyof T & string): boolean {
  return fields[key] === undefined && (isSection(raw) ? raw[key] : undefined) === undefined;
}

/** Returns whether the stack file has a value for the key. A default does not count, nor does a key without a value: it is a separate problem. */
export function isWritten({ raw }: Draft<unknown>, key: string): boolean {
  return isSection(raw) && raw[key] !== undefined && raw[key] !== null;
}

/** Returns the name of a list's entry, if it has one. */
export function nameOf(raw: unknown, key = "name"): string | undefined {
  const name = isSection(raw) ? raw[key] : undefined;
  return typeof name === "string" ? name : undefined;
}

function rightFields<S extends z.ZodObject>(schema: S, raw: unknown): Partial<z.output<S>> {
  const fields = Object.entries(schema.shape).flatMap(([key, field]) => {
    const parsed = z.safeParse(field, isSection(raw) ? raw[key] : undefined);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(fields) as Partial<z.output<S>>;
}

interface Checked {
  readonly schema: z.ZodType;
  readonly variants: Variants;
  readonly raw: unknown;
  readonly location: Location;
}

function problemsOf(issues: readonly z.core.$ZodIssue[], checked: Checked): Problem[] {
  const { schema, location } = checked;
  return issues.flatMap((issue) => {
    const keys = issue.path as Key[];
    if (issue.code !== "unrecognized_keys") return [{ ...within(location, ...keys), ...explain(issue, keys, checked) }];
    const known = Object.keys((unwrapped(schemaAt(schema, keys)) as z.ZodObject).shape);
    return issue.keys.map((key) => ({
      ...within(location, ...keys, key),
      ...explainUnknownKey(key, known, keys, checked),
    }));
  });
}

type MessageAndHint = Pick<Problem, "message" | "hint">;

function explain(issue: z.core.$ZodIssue, keys: readonly Key[], { schema, variants, raw }: Checked): MessageAndHint {
  const value = keys.reduce<unknown>((inside, key) => (inside as Record<Key, unknown> | undefined)?.[key], raw);
  if (value === undefined || value === null) {
    const description = schemaAt(schema, keys).description;
    return {
      message: "missing",
      hint: description === undefined ? "add it" : `add it: ${description.replace(/\.$/, "")}`,
    };
  }
  if (issue.code === "invalid_type") {
    const type = TYPES[issue.expected] ?? { name: issue.expected, hint: "change it" };
    return { message: `found ${kindOf(value)}, expected ${type.name}`, hint: type.hint };
  }
  // A name in a record: the issue is about the name, not about its value.
  if (issue.code === "invalid_key" && issue.issues[0]) {
    return expectation(issue.issues[0], shown(keys.at(-1)));
  }
  const isSecret = keys.some((key) => HIDDEN_KEYS.has(String(key)));
  const found = isSecret ? kindOf(value).replace(/^text$/, "plain text") : shown(value);
  const choices = choicesOf(issue, variants);
  if (choices !== undefined) {
    const meant = typeof value === "string" ? suggestion(value, choices) : undefined;
    const hint = meant === undefined ? "use one of them" : `did you mean "${meant}"?`;
    return { message: `found ${found}, expected ${alternatives(choices)}`, hint };
  }
  return expectation(issue, found);
}

/** Returns the message and the hint of an issue. @param issue with a message as config/schema/fields.ts writes them */
function expectation({ message }: Pick<z.core.$ZodIssue, "message">, found: string): MessageAndHint {
  const [expected = "", ...hint] = message.split("; ");
  return { message: `found ${found}, expected ${expected}`, hint: hint.join("; ") };
}

const TYPES: Readonly<Record<string, { name: string; hint: string }>> = {
  object: { name: "a section", hint: "write its keys below it, indented" },
  array: { name: "a list", hint: "write a list, e.g. [one, two]" },
  string: { name: "text", hint: "write text, in quotes where it looks like something else" },
  boolean: { name: "true or false", hint: "use one of them, without quotes" },
  number: { name: "a whole number", hint: "write it in digits, without quotes" },
  int: { name: "a whole number", hint: "write it in digits, without quotes" },
};

function explainUnknownKey(
  key: string,
  known: readonly string[],
  keys: readonly Key[],
  { variants, raw }: Checked,
): MessageAndHint {
  const type = nameOf(raw, "type");
  const others = Object.entries(variants).flatMap(([name, { shape }]) => (key in shape ? [name] : []));
  if (keys.length === 0 && type !== undefined && others.length > 0 && !known.includes(key)) {
    return {
      message: `a service of type ${type} has no ${key}`,
      hint: `remove it, or use type ${alternatives(others)}`,
    };
  }
  const meant = suggestion(key, known);
  if (meant !== undefined) return { message: "unknown key", hint: `did you mean "${meant}"?` };
  return { message: "unknown key", hint: `remove it, or use one of ${known.join(", ")}` };
}

/** Returns the allowed values, if the issue is about a choice. */
function choicesOf(issue: z.core.$ZodIssue, variants: Variants): string[] | undefined {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" && issue.path.at(-1) === "type" ? Object.keys(variants) : undefined;
}

/** Returns the schema at `keys` inside `schema`. */
function schemaAt(schema: z.ZodType, keys: readonly Key[]): z.ZodType {
  const [key, ...rest] = keys;
  if (key === undefined && schema.description !== undefined) return schema;
  if (isWrapper(schema)) return schemaAt(schema.unwrap() as z.ZodType, keys);
  if (key === undefined) return schema;
  if (schema instanceof z.ZodUnion) return schemaAt(unwrapped(schema), keys);
  if (schema instanceof z.ZodArray) return schemaAt(schema.element as z.ZodType, rest);
  if (schema instanceof z.ZodRecord) return schemaAt(schema.valueType as z.ZodType, rest);
  return schema instanceof z.ZodObject ? schemaAt(schema.shape[key] as z.ZodType, rest) : schema;
}

/** Returns the schema of a section without its wrappers (optional, default), and without the alternative `false`. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (isWrapper(schema)) return unwrapped(schema.unwrap() as z.ZodType);
  const section = schema instanceof z.ZodUnion && schema.options.find((option) => option instanceof z.ZodObject);
  return section || schema;
}

function isWrapper(schema: z.ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
}

/** Returns the kind of a YAML value with its article, for messages. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  return isSection(value) ? "a section" : `a ${typeof value}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value) && value.length === 0) return "an empty list";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : kindOf(value);
}

function alternatives(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}
