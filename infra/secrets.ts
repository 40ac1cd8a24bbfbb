import * as pulumi from "@pulumi/pulumi";
import { filledIn } from "../config/variables/secretText.ts";
import type { SecretText } from "../config/settings.ts";

/**
 * Returns the value of a secret field: its template with every `${NAME}` replaced by `variables:NAME` of the stack, else by the environment
 * variable of that name. Always a Pulumi secret, wherever the value came from.
 * @throws when a variable is set neither in the stack nor in the environment; configuration checks report this earlier, for all fields at once
 */
export function resolveSecret(text: SecretText): pulumi.Output<string> {
  const variables = new pulumi.Config("variables");
  const values = text.variables.map((name) => variables.getSecret(name) ?? fromEnvironment(name));
  return pulumi.secret(pulumi.all(values).apply((known) => filledIn(text, (_, index) => known[index] ?? "")));
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new pulumi.RunError(
      `template variable "${name}" is not set; run: pulumi config set --secret variables:${name}`,
    );
  }
  return value;
}
