/**
 * JSON Schema of a whole `Pulumi.<stack>.yaml`, for editors. Run as a script, it writes `config/stack.schema.json` and
 * `docs/configuration.md`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { renderReference } from "./reference.ts";
import { SECTION_NAMES, SECTIONS } from "./sections/sections.ts";

/** Returns the content of `config/stack.schema.json`. */
export function stackSchema(): object {
  const sections = Object.entries(SECTIONS).map(([name, { schema, description, required }]) => {
    const described = schema.describe(description);
    return [`gatehouse:${name}`, required ? described : described.optional()];
  });
  const config = z
    .looseObject({
      ...(Object.fromEntries(sections) as z.ZodRawShape),
      "kubernetes:context": z
        .string()
        .describe("Context of the kubeconfig: the only cluster that this stack changes. See gatehouse:cluster.")
        .optional(),
    })
    // Other namespaces are those of other programs; in this one, every key is known.
    .meta({ propertyNames: { pattern: `^(gatehouse:(${SECTION_NAMES.join("|")})$|(?!gatehouse:))` } });
  const file = z
    .looseObject({ config: config.describe("Configuration of the stack.") })
    .meta({ title: "Gatehouse stack" });
  return z.toJSONSchema(file, { io: "input", target: "draft-7" });
}

if (import.meta.main) {
  const { format } = await import("oxfmt");
  const file = join(import.meta.dirname, "stack.schema.json");
  const { code } = await format(file, JSON.stringify(stackSchema()), { printWidth: 120 });
  await writeFile(file, code);
  await writeFile(join(import.meta.dirname, "..", "docs", "configuration.md"), renderReference(stackSchema()));
}
