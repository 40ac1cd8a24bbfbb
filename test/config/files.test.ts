import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { stackSchema } from "../../config/jsonSchema.ts";
import { parseStack, readStackFile } from "../../config/load.ts";
import { oauth2 } from "./stacks.ts";

const root = join(import.meta.dirname, "..", "..");

describe("the files of the project", () => {
  const validate = new Ajv({ strict: false, formats: { date: true, cidrv4: true, cidrv6: true } }).compile(
    stackSchema(),
  );
  const accepts = (section: string, value: unknown) => {
    const file = parse(readFileSync(join(root, "Pulumi.dev.yaml"), "utf8")) as { config: Record<string, unknown> };
    return validate(JSON.parse(JSON.stringify({ config: { ...file.config, [section]: value } })));
  };

  test("generates config/stack.schema.json as committed (node config/jsonSchema.ts)", () => {
    expect(JSON.parse(readFileSync(join(root, "config/stack.schema.json"), "utf8"))).toEqual(
      JSON.parse(JSON.stringify(stackSchema())),
    );
  });

  test.each(["dev", "local", "production"])(
    "accepts Pulumi.%s.yaml, which names its JSON schema and matches it",
    (name) => {
      const text = readFileSync(join(root, `Pulumi.${name}.yaml`), "utf8");
      expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=config/stack.schema.json");
      expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
      const raw = readStackFile(join(root, `Pulumi.${name}.yaml`), name);
      expect(parseStack(raw, {}, { secretsRequired: false }).stack).toBe(name);
    },
  );

  test.each<[string, string, unknown]>([
    ["an unknown section", "gatehouse:domain", {}],
    ["a secret in plain text", "gatehouse:postgres", { host: "db", password: "hunter2" }],
    ["a service without its type's block", "gatehouse:protected_services", [oauth2({ oauth_config: undefined })]],
    ["an unknown key of a domain", "gatehouse:domains", { localhost: { enabeld: true } }],
  ])("rejects %s with the JSON schema", (_, section, value) => {
    expect(accepts(section, value)).toBe(false);
  });

  test.each<[string, string, unknown]>([
    ["keys of other namespaces", "aws:region", "eu-north-1"],
    ["encrypted variables", "variables:TOKEN", { secure: "v1:abc" }],
    ["a port that is a variable", "gatehouse:postgres", { host: "${HOST}", port: "${PORT}", password: "${PASSWORD}" }],
  ])("accepts %s with the JSON schema", (_, section, value) => {
    expect(accepts(section, value)).toBe(true);
  });
});
