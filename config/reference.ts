/** Renders docs/configuration.md from the JSON Schema of a stack file; `config/jsonSchema.ts` writes both. */
import { VARIABLES_ONLY } from "./schema/fields.ts";
import { SECTIONS } from "./sections/sections.ts";

const INTRODUCTION = `
<!-- Generated from the schema by: node config/jsonSchema.ts -->

# Configuration

Each stack has one file, \`Pulumi.<stack>.yaml\`, with the sections below under \`config\`. Three files are complete, commented examples:
[Pulumi.dev.yaml](../Pulumi.dev.yaml) (a developer's cluster), [Pulumi.local.yaml](../Pulumi.local.yaml) (the local platform) and
[Pulumi.production.yaml](../Pulumi.production.yaml) (three domains, several nodes). \`npx gatehouse plan STACK\` validates a file and prints what it exposes. It
reports every problem at once, with its path and a hint.

Editors with a YAML language server complete and check a stack file if its first line is
\`# yaml-language-server: $schema=node_modules/gatehouse/dist/config/stack.schema.json\`, which \`npx gatehouse init\` writes (in a clone
\`config/stack.schema.json\`).

## Template variables and secrets

\`\${NAME}\` is a template variable. Its value is \`variables:NAME\` of the stack, else the environment variable \`NAME\` of the deploying shell.

- Fields of type **secret** accept template variables only, so that no secret is in the file in plain text. Set each one under its own key:
  \`pulumi config set --secret variables:NAME --stack STACK\`. A deployment refuses such a variable in plain text.
  [Rotate](operations/rotation.md) the value of one that was deployed or committed: the state backend and the history of Git keep it.
- Secrets are encrypted in the state, and are in no plan, preview or log. The policy pack refuses a secret outside of a Secret
  ([policy pack](policy.md)).
- \`npx gatehouse plan\` and \`npx gatehouse diff\` need no value of a secret.
- A field that becomes a host, a port or an address must not be a secret variable.

## \`kubernetes:context\`

The context of the kubeconfig: the only cluster that the stack changes. \`npx gatehouse deploy CONTEXT\` selects the stack by this key, or by another name in
[\`gatehouse:cluster\`](#gatehousecluster).
`;

/** The parts of a JSON Schema that the reference contains. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Row {
  readonly field: string;
  readonly type: string;
  readonly fallback: string;
  readonly description: string;
}

/**
 * Returns the text of docs/configuration.md.
 * @param file the JSON Schema of a stack file
 */
export function renderReference(file: object): string {
  const config = (file as { properties: { config: Schema } }).properties.config;
  const parts = Object.entries(SECTIONS).map(([section, { example, text }]) => {
    const schema = config.properties?.[`gatehouse:${section}`] ?? {};
    const required = config.required?.includes(`gatehouse:${section}`) === true;
    return [
      `## \`gatehouse:${section}\``,
      `${schema.description ?? ""} ${required ? "Required." : "Optional."}`,
      "```yaml\n" + example.trim() + "\n```",
      ...tables(schema),
      text.trim(),
    ].filter((part) => part !== "");
  });
  return `${[INTRODUCTION.trim(), ...parts.flat()].join("\n\n")}\n`;
}

/** Returns the tables of a section: of its fields, or of each variant of its entries. */
function tables(schema: Schema): string[] {
  if (schema.items !== undefined) {
    const variants = schema.items.oneOf ?? [];
    return [table([...new Map(variants.flatMap((variant) => entryRows(variant, variants))).values()])];
  }
  if (typeof schema.additionalProperties === "object") {
    // One shape for the known names, one for all others.
    const [known = {}] = Object.values(schema.properties ?? {});
    const required = (schema.additionalProperties.required ?? []).map((key) => `\`${key}\``);
    const kinds = Object.entries(schema.properties ?? {}).map(
      ([key, kind]) => `- \`${key}\`: ${kind.description ?? ""}`,
    );
    return [
      kinds.join("\n"),
      `These kinds are known. A custom kind has the same fields and requires ${required.join(", ")}.`,
      table(rows(known)),
    ];
  }
  return [table(rows(schema))];
}

/** Returns the rows of one variant of an entry, by field; a field that other variants lack names the types that have it. */
function entryRows(variant: Schema, variants: readonly Schema[]): [string, Row][] {
  return rows(variant).map((row) => {
    const [key = ""] = row.field.split(".");
    const types = variants.filter(({ properties }) => properties?.[key] !== undefined).map(typeName);
    if (key === "type") {
      const values = variants.map((one) => `\`${typeName(one)}\`: ${one.properties?.["type"]?.description ?? ""}`);
      return [row.field, { ...row, type: "one of", description: values.join(" ") }];
    }
    const only = types.length === variants.length ? "" : `${types.map((type) => `\`${type}\``).join(", ")}: `;
    return [row.field, { ...row, description: only + row.description }];
  });
}

function typeName({ properties }: Schema): string {
  return String(properties?.["type"]?.const);
}

function rows(schema: Schema, prefix = ""): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const path = `${prefix}${key}`;
    const required = schema.required?.includes(key) === true;
    const [description, stated] = splitDefault(field.description ?? "");
    const nested = nestedRows(field, path);
    const value = required ? "required" : (stated ?? defaultOf(field));
    return [{ field: path, type: typeOf(field), fallback: value, description }, ...nested];
  });
}

function nestedRows(field: Schema, path: string): Row[] {
  if (field.properties !== undefined) return rows(field, `${path}.`);
  if (field.items?.properties !== undefined) return rows(field.items, `${path}[].`);
  if (typeof field.additionalProperties === "object") return rows(field.additionalProperties, `${path}.<name>.`);
  const [object, ...others] = (field.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  return object === undefined || others.length > 0 ? [] : rows(object, `${path}.`);
}

/** Splits `<text> Default: <what>.`, for defaults that depend on other fields. */
function splitDefault(description: string): [string, string?] {
  const match = /^(.*?)\s*Default: (.+?)\.?$/.exec(description);
  return match === null ? [description] : [match[1] ?? "", match[2] ?? ""];
}

function defaultOf(field: Schema): string {
  if (field.default === undefined) return "none";
  if (Array.isArray(field.default) && field.default.length === 0) return "none";
  // A section with defaults; a map without entries is none.
  if (JSON.stringify(field.default) === "{}")
    return typeof field.additionalProperties === "object" ? "none" : "see below";
  const text = typeof field.default === "string" ? field.default : JSON.stringify(field.default, undefined, 1);
  return `\`${text
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<=\[) | (?=\])/g, "")}\``;
}

function typeOf(field: Schema): string {
  if (field.pattern === VARIABLES_ONLY.source) return "secret";
  if (field.const !== undefined) return `\`${JSON.stringify(field.const).replaceAll('"', "")}\``;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeOf))].join(" or ");
  if (field.items !== undefined) return field.items.properties === undefined ? "list" : "list of sections";
  if (typeof field.additionalProperties === "object") return "section by name";
  if (field.properties !== undefined) return "section";
  if (field.type === "integer") return `${field.minimum} to ${field.maximum}`;
  return field.type ?? "any";
}

function table(all: readonly Row[]): string {
  const cell = (text: string): string =>
    text.replaceAll("|", String.raw`\|`).replaceAll("${VARIABLE}", "`${VARIABLE}`");
  const lines = all.map(
    ({ field, type, fallback, description }) =>
      `| \`${field}\` | ${cell(type)} | ${cell(fallback)} | ${cell(description)} |`,
  );
  return ["| field | type | default | description |", "| --- | --- | --- | --- |", ...lines].join("\n");
}
