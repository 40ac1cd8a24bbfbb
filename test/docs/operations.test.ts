import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stackSchema } from "../../config/jsonSchema.ts";
import { VARIABLES_ONLY } from "../../config/schema/fields.ts";
import { traefikArguments } from "../../local/platform/traefikArguments.ts";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..", "..");
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** Paths of the secret fields of a JSON Schema; an item of a list is `[]`. */
function secretsIn(schema: unknown, path = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { pattern, properties, items, anyOf, oneOf } = schema as Record<string, unknown>;
  if (pattern === VARIABLES_ONLY.source) return [path];
  const fields = Object.entries((properties ?? {}) as Record<string, unknown>);
  return [
    ...fields.flatMap(([key, field]) => secretsIn(field, path === "" ? key : `${path}.${key}`)),
    ...secretsIn(items, `${path}[]`),
    ...[anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? all.flatMap((one) => secretsIn(one, path)) : [])),
  ];
}

describe("docs/operations/rotation.md", () => {
  const schema = stackSchema() as { properties: { config: unknown } };
  const secrets = [...new Set(secretsIn(schema.properties.config).map((path) => path.replace("gatehouse:", "")))];

  test("has a section for each secret of a stack, and no other", () => {
    const documented = [...read("docs/operations/rotation.md").matchAll(/^## `(.+)`$/gm)].map(([, path]) => path ?? "");
    expect(documented.toSorted()).toEqual(secrets.toSorted());
    expect(secrets).toContain("protected_services[].oauth_config.client_secret");
  });
});

/** Arguments that contain a secret: headers, passwords and values of variables. */
const SECRET_ARGUMENT =
  /(-H|--header) "Authorization|-d "?\{.*\$|password="?\$|--from-literal|config set --secret .*-- |PASSWORD '/;

test.each(
  ["README.md", ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name]),
)("contains no command with a secret among its arguments in %s", (page) => {
  expect(SECRET_ARGUMENT.exec(read(page))?.[0]).toBe(undefined);
});

test("configures the same static options in docs/observability.md as on the local platform", () => {
  const blocks = [...read("docs/observability.md").matchAll(/```yaml\n([^]*?)```/g)].map(([, block]) => block ?? "");
  const chart = parse(blocks.find((block) => block.includes("HelmChartConfig")) ?? "") as {
    spec: { valuesContent: string };
  };
  expect(parse(chart.spec.valuesContent)).toEqual({ additionalArguments: traefikArguments() });
});

test("keeps no field of the access log with a user name that no middleware checked", () => {
  // Traefik fills ClientUsername also from the request target (`GET http://alice@host/`) and with a wrong password.
  expect(traefikArguments().filter((argument) => /user/i.test(argument))).toEqual([
    "--accesslog.fields.headers.names.x-idp-username=keep",
  ]);
  expect(read("docs/observability.md")).not.toMatch(/\.ClientUsername|clientusername=keep/);
});
