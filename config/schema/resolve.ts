/** Turns a section that matches its schema into settings: keys in camel case, variables filled in, secrets unresolved. */
import { z } from "zod";
import type { Draft } from "./draft.ts";
import { SECRET_KEYS, TEMPLATES } from "./fields.ts";
import { isSection, join, type Location } from "../errors/location.ts";
import type { SecretText } from "../variables/secretText.ts";
import type { Variables } from "../variables/variables.ts";

type CamelCase<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Key;

/** The settings that a field becomes. A port is a number, or a variable that contains one. */
type Field<T> = string | number extends Exclude<T, undefined> ? number | Extract<T, undefined> : Resolved<T>;

/** The settings that the output of a schema becomes. */
export type Resolved<T> =
  T extends z.core.$brand<"secret">
    ? SecretText
    : T extends readonly (infer Item)[]
      ? readonly Resolved<Item>[]
      : T extends object
        ? string extends keyof T
          ? { readonly [Key in keyof T]: Resolved<T[Key]> }
          : { readonly [Key in keyof T as CamelCase<Key>]: Field<T[Key]> }
        : T;

/** Returns the settings of a value that matches a schema. Problems of its variables are in `variables`. */
export function resolve<S extends z.ZodType>(
  schema: S,
  value: z.output<S>,
  location: Location,
  variables: Variables,
): Resolved<z.output<S>> {
  return resolveValue(schema, value, location, variables) as Resolved<z.output<S>>;
}

/** Returns the settings of a section; undefined if it is missing or has a problem. */
export function settingsOf<S extends z.ZodType>(
  { schema }: { readonly schema: S },
  draft: Draft<z.output<S>> | undefined,
  variables: Variables,
): Resolved<z.output<S>> | undefined {
  return draft?.value === undefined ? undefined : resolve(schema, draft.value, draft.location, variables);
}

function resolveValue(schema: z.ZodType, value: unknown, location: Location, variables: Variables): unknown {
  const inside = (of: z.ZodType, item: unknown, key: PropertyKey): unknown =>
    resolveValue(of, item, { ...location, path: join(location.path, key) }, variables);
  if (value === undefined) return undefined;
  const template = TEMPLATES.get(schema);
  if (template) return variables[template.kind](value as string, location);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return resolveValue(schema.unwrap() as z.ZodType, value, location, variables);
  }
  if (schema instanceof z.ZodUnion) {
    const [option] = (schema.options as z.ZodType[]).filter((one) => one.safeParse(value).success);
    return option ? resolveValue(option, value, location, variables) : value;
  }
  if (Array.isArray(value) && schema instanceof z.ZodArray) {
    return value.map((item, index) => inside(schema.element as z.ZodType, item, index));
  }
  if (typeof value === "string") return variables.literal(value, location);
  if (!isSection(value)) return value;
  if (schema instanceof z.ZodRecord) {
    const item = schema.valueType as z.ZodType;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inside(item, field, key)]));
  }
  const shape = Object.entries((schema as z.ZodObject).shape);
  return Object.fromEntries(shape.map(([key, of]) => [camelCase(key), inside(of as z.ZodType, value[key], key)]));
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Looks up the variables of the secret fields of a section that has a problem elsewhere, so that theirs are reported as well. */
export function lookUpSecrets(raw: unknown, location: Location, variables: Variables): void {
  if (!isSection(raw) && !Array.isArray(raw)) return;
  for (const [key, value] of Object.entries(raw) as [string, unknown][]) {
    const path = join(location.path, Array.isArray(raw) ? Number(key) : key);
    if (typeof value !== "string") lookUpSecrets(value, { ...location, path }, variables);
    else if (SECRET_KEYS.has(key)) variables.secret(value, { ...location, path });
  }
}
