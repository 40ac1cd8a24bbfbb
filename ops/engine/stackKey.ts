import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import type { RawStack } from "../../config/load.ts";

/** Returns whether a stack file has encrypted values or their key, or names the service that has it. */
export function hasKey(project: string, { stack, config }: RawStack): boolean {
  const file = parseDocument(readFileSync(join(project, `Pulumi.${stack}.yaml`), "utf8"));
  const keys = ["secretsprovider", "encryptedkey", "encryptionsalt"];
  return keys.some((key) => file.has(key)) || Object.values(config).some((value) => "secret" in value);
}
