/** `node ops/toolchain/traefikTypes.ts`: writes the types of Traefik's objects, `sdks/traefik/index.d.ts`, from the pinned definitions. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { parseAllDocuments } from "yaml";
import { createProgress } from "../terminal/progress.ts";
import { projectFolder } from "./paths.ts";
import { ensureTools } from "./toolchain.ts";

/** Kinds that Gatehouse deploys. */
const KINDS = ["IngressRoute", "Middleware"];
export const TRAEFIK_TYPES = join(projectFolder(), "sdks", "traefik", "index.d.ts");

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: JSONSchema } }[];
  };
}

/** Returns the types of `spec` of each kind. @param definitions the CustomResourceDefinitions as YAML */
export async function traefikTypes(definitions: string): Promise<string> {
  const all = parseAllDocuments(definitions).map((document) => document.toJS() as Definition);
  const types = KINDS.map((kind) => {
    const found = all.find(({ spec }) => spec.names.kind === kind);
    const spec = found?.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"];
    if (spec === undefined) throw new Error(`there is no definition of ${kind}`);
    return compile(withoutTexts(spec), `${kind}Spec`, { additionalProperties: false, bannerComment: "" });
  });
  const banner = "// Generated from Traefik's CustomResourceDefinitions by: node ops/toolchain/traefikTypes.ts";
  return [banner, ...(await Promise.all(types))].join("\n");
}

/** Traefik's own reference has the descriptions. */
function withoutTexts(schema: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  ) as JSONSchema;
}

if (import.meta.main) {
  const files = await ensureTools(["traefik-crds"], createProgress());
  await writeFile(TRAEFIK_TYPES, await traefikTypes(await readFile(files["traefik-crds"], "utf8")));
}
