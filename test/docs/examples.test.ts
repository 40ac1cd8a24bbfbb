/** Stack files and sections that the pages show are valid. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { stackSchema } from "../../config/jsonSchema.ts";
import { parseStack, parseStackFile } from "../../config/load.ts";

const root = join(import.meta.dirname, "..", "..");
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The YAML blocks of all pages, without their indentation; one that shows several variants of a section is split at empty lines. */
const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^( *)```yaml\n([^]*?)^ *```/gm)].flatMap(
    ([, indent = "", text = ""]) => {
      const block = text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      const parts = parseAllDocuments(block).some(({ errors }) => errors.length > 0) ? block.split("\n\n") : [block];
      return parts.map((yaml) => ({ page, yaml }));
    },
  ),
);
const stackFiles = blocks.filter(({ yaml }) => yaml.startsWith("config:"));
const sections = blocks.filter(({ yaml }) => yaml.startsWith("gatehouse:"));

describe("stack files in pages", () => {
  test.each(stackFiles)("accepts the one in $page", ({ page, yaml }) => {
    const raw = parseStackFile(yaml, "example", page);
    expect(parseStack(raw, {}, { secretsRequired: false }).stack).toBe("example");
  });

  test("finds those of README.md and the guides", () => {
    const guides = ["getting-started", "importing", "tailnet", "vps"].map((name) => `docs/${name}.md`);
    expect(stackFiles.map(({ page }) => page).sort()).toEqual(["README.md", ...guides]);
  });
});

describe("sections in pages", () => {
  const validate = new Ajv({ strict: false, formats: { date: true, cidrv4: true, cidrv6: true } }).compile(
    stackSchema(),
  );

  test.each(sections)("accepts the one in $page: $yaml", ({ page, yaml }) => {
    const required = {
      "gatehouse:domains": {},
      "gatehouse:protected_services": [],
      "gatehouse:identity_provider": { token: "${TOKEN}" },
    };
    const example = parse(yaml) as Record<string, object>;
    // A page may show some fields of a section only.
    const config = Object.fromEntries(
      Object.entries({ ...required, ...example }).map(([key, value]) => [
        key,
        PARTIAL[page]?.[key] === undefined ? value : { ...PARTIAL[page][key], ...value },
      ]),
    );
    expect(validate({ config }), JSON.stringify(validate.errors)).toBe(true);
  });
});

const PASSWORDS = { domains: "auto", authenticator_password: "${A}", owner_password: "${B}" };
/** Required fields that a page leaves out, by section. */
const PARTIAL: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "docs/versioning.md": { "gatehouse:data_api": PASSWORDS },
  "docs/verify.md": { "gatehouse:identity_provider": { token: "${TOKEN}" } },
};
