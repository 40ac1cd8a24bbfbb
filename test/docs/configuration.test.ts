/** docs/configuration.md is generated from the schema. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { stackSchema } from "../../config/jsonSchema.ts";
import { renderReference } from "../../config/reference.ts";
import { SECTION_NAMES } from "../../config/sections/sections.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "configuration.md"), "utf8");

test("generates docs/configuration.md as committed (node config/jsonSchema.ts)", () => {
  expect(page).toBe(renderReference(stackSchema()));
});

describe("the reference of a schema", () => {
  const rendered = (field: object, required: string[] = []): string => {
    const section = { type: "object", properties: { field }, required };
    const config = { properties: { "gatehouse:gateway": section } };
    return renderReference({ properties: { config } })
      .split("\n")
      .filter((line) => line.startsWith("| `field"))
      .join("\n");
  };

  test.each<[string, object, string]>([
    ["a default", { type: "string", default: "web", description: "Name." }, "| `field` | string | `web` | Name. |"],
    [
      "a default that depends on other fields",
      { type: "string", description: "Name. Default: the entry's name." },
      "| `field` | string | the entry's name | Name. |",
    ],
    [
      "a secret",
      { type: "string", pattern: String.raw`^(\$\{[A-Za-z_][A-Za-z0-9_]*\})+$`, description: "Token." },
      "| `field` | secret | none | Token. |",
    ],
    [
      "the fields of a list's entries",
      { type: "array", items: { properties: { name: { type: "string" } }, required: ["name"] }, default: [] },
      "| `field` | list of sections | none |  |\n| `field[].name` | string | required |  |",
    ],
    ["a vertical bar", { type: "string", description: "a|b" }, "| `field` | string | none | a\\|b |"],
  ])("contains %s", (_, field, row) => {
    expect(rendered(field)).toBe(row);
  });

  test("marks a required field", () => {
    expect(rendered({ type: "boolean" }, ["field"])).toBe("| `field` | boolean | required |  |");
  });
});

test("shows an example of each section", () => {
  const examples = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = ""]) => parse(yaml) as object);
  expect(examples.map((example) => Object.keys(example))).toEqual(SECTION_NAMES.map((name) => [`gatehouse:${name}`]));
});
