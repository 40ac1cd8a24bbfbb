import * as pulumi from "@pulumi/pulumi";
import { engineValue } from "./engineValue.ts";
import { parseStack, type RawStack } from "./load.ts";
import type { Settings } from "./settings.ts";
import type { RawValue } from "./variables/variables.ts";

/**
 * Returns the settings of the stack that the engine runs.
 * @throws ConfigError with every problem; Pulumi prints its message and nothing else
 */
export function loadStack(): Settings {
  return parseStack(rawStack(), process.env);
}

// The SDK has this function and leaves it out of its types.
const { isConfigSecret } = pulumi.runtime as unknown as { isConfigSecret: (key: string) => boolean };

/** Returns the configuration of the stack in the engine; secret values are only marked as secret. */
function rawStack(): RawStack {
  const config = Object.entries(pulumi.runtime.allConfig()).map(([key, text]): [string, RawValue] => {
    if (isConfigSecret(key)) return [key, { secret: true }];
    return [key, { value: engineValue(key, text) }];
  });
  return { stack: pulumi.getStack(), config: Object.fromEntries(config) };
}
