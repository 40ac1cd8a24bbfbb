/** `node ops/toolchain/crdTypes.ts`: writes the types of custom resources, `sdks/<sdk>/index.d.ts`, from the pinned definitions. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { parseAllDocuments } from "yaml";
import { createProgress } from "../terminal/progress.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { ensureTools } from "./toolchain.ts";

export const SDKS = [
  { name: "traefik", definitions: "traefik-crds", kinds: ["IngressRoute", "Middleware", "TraefikService"] },
  { name: "cloudnativepg", definitions: "cloudnativepg-crds", kinds: ["Cluster"] },
] as const;
type Sdk = (typeof SDKS)[number];

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: JSONSchema } }[];
  };
}

/** Returns the path of the generated types of an SDK. */
export function typesFile({ name }: Sdk): string {
  return join(packageFolder(), "sdks", name, "index.d.ts");
}

/** Returns the types of `spec` of each kind. @param definitions the CustomResourceDefinitions as YAML */
export async function crdTypes({ kinds }: Sdk, definitions: string): Promise<string> {
  const all = parseAllDocuments(definitions).map((document) => document.toJS() as Definition);
  const types = kinds.map((kind) => {
    const found = all.find(({ spec }) => spec.names.kind === kind);
    const spec = found?.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"];
    if (spec === undefined) throw new Error(`there is no definition of ${kind}`);
    return compile(withoutTexts(spec), `${kind}Spec`, { additionalProperties: false, bannerComment: "" });
  });
  const banner = "// Generated from CustomResourceDefinitions by: node ops/toolchain/crdTypes.ts";
  return [banner, ...(await Promise.all(types))].join("\n");
}

/** Returns a schema without descriptions, which the reference of each program has. */
function withoutTexts(schema: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  ) as JSONSchema;
}

if (import.meta.main) {
  const files = await ensureTools(["traefik-crds", "cloudnativepg-crds"], createProgress());
  for (const sdk of SDKS) {
    await writeFile(typesFile(sdk), await crdTypes(sdk, await readFile(files[sdk.definitions], "utf8")));
  }
}
