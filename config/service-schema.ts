import { z } from "zod";
import { entrySchemas, type ServiceInput } from "../protections/table.ts";

export type { ServiceInput } from "../protections/table.ts";

/** Returns the schema of an entry of `protected_services`, by its `type`. */
export function service(): z.ZodType<ServiceInput> {
  const [first, ...others] = Object.values(entrySchemas());
  if (first === undefined) throw new Error("no protection has a schema");
  return z.discriminatedUnion("type", [first, ...others]) as unknown as z.ZodType<ServiceInput>;
}
