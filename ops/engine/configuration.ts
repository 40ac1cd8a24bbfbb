import { isDeepStrictEqual } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../config/errors/userError.ts";
import { reasonOf } from "./reason.ts";
import { engineValue } from "../../config/engineValue.ts";
import type { StackValues } from "../context/context.ts";
import type { DecryptedConfig } from "./open.ts";

/** What to do about secrets of a stack file that cannot be decrypted. */
export const KEY_HINT = "set PULUMI_CONFIG_PASSPHRASE, or sign in to the service that stores the key";

/** Returns the configuration of a stack in clear. @throws UserError when the secrets cannot be decrypted */
export function decryptedConfig(
  { stack: name }: Pick<StackValues, "stack">,
  stack: Pick<Stack, "getAllConfig">,
): Promise<DecryptedConfig> {
  return stack.getAllConfig().catch((error: unknown) => {
    throw new UserError(`the secrets of stack "${name}" cannot be read: ${reasonOf(error)}`, KEY_HINT);
  });
}

/**
 * Returns a problem for each section that the engine reads otherwise than the checks, which read the stack file themselves: the engine deploys what it
 * reads.
 * @param config of the stack, as the engine returns it
 */
export function otherConfiguration({ stack, raw, local }: StackValues, config: DecryptedConfig): string[] {
  // The local platform gives both the values of its start.
  if (local) return [];
  const ofFile = new Map(
    Object.entries(raw.config).flatMap(([key, value]) => ("value" in value ? [[key, value.value]] : [])),
  );
  const ofEngine = new Map(
    Object.entries(config).map(([key, { value = "" }]) => [key, engineValue(key, withDays(value))]),
  );
  const sections = new Set([...ofFile.keys(), ...ofEngine.keys()].filter((key) => key.startsWith("gatehouse:")));
  return [...sections].sort().flatMap((key) => {
    if (isDeepStrictEqual(ofFile.get(key), ofEngine.get(key))) return [];
    const hint = "Write it as plain YAML, once, and put texts that look like numbers or dates in quotes.";
    return [`${key}: Pulumi reads another value than Pulumi.${stack}.yaml states to the checks. ${hint}`];
  });
}

/** Returns a text with dates as in the stack file: the engine returns them as Go prints them (measured with 3.250.0). */
function withDays(text: string): string {
  return text.replaceAll(/(\d{4}-\d{2}-\d{2}) 00:00:00 \+0000 UTC/g, "$1");
}
