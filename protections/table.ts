/**
 * The protections by name, which is also `type` in the stack file. A new one is a module next to this one, a line in TABLE, and the generated
 * `config/stack.schema.json` and `docs/configuration.md`.
 */
import type { z } from "zod";
import { basic } from "./basic.ts";
import type { Entry } from "./entry.ts";
import { oauth2 } from "./oauth2.ts";
import { open } from "./open.ts";
import type { Protection } from "./protection.ts";
import { proxy } from "./proxy.ts";

const TABLE = { proxy, oauth2, basic, open };
export const PROTECTIONS: Record<string, Protection> = TABLE;

type Row = (typeof TABLE)[keyof typeof TABLE];
type EntryOf<T> = T extends { readonly schema: infer Schema extends z.ZodType } ? Entry<Schema> : never;
type InputOf<T> = T extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : never;
/** An entry of `protected_services` that matches its schema. */
export type ServiceInput = InputOf<Row>;
/** Settings of an entry of `protected_services`. */
export type Service = EntryOf<Row>;

/** Returns a protection by name. @throws Error for a name that is not in the table, which the configuration rules out */
export function protectionOf(name: string): Protection {
  const protection = PROTECTIONS[name];
  if (protection === undefined) throw new Error(`there is no protection "${name}"`);
  return protection;
}

/** Returns the schema of each type of entry. */
export function entrySchemas(): Record<string, NonNullable<Protection["schema"]>> {
  return Object.fromEntries(
    Object.entries(PROTECTIONS).flatMap(([type, { schema }]) => (schema ? [[type, schema]] : [])),
  );
}
