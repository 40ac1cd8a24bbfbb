import * as pulumi from "@pulumi/pulumi";
import { filledIn } from "../config/variables/secretText.ts";
import type { SecretText } from "../config/settings.ts";

/**
 * Returns the value of a secret field: its template with every `${NAME}` replaced by `variables:NAME` of the stack, else by the environment
 * variable of that name. Always a Pulumi secret, wherever the value came from.
 * @throws when a variable is set neither in the stack nor in the environment, which configuration checks report earlier, for all fields at once; when its
 *   value in the stack is empty, e.g. because Enter was pressed at `read -rs VALUE`: the password of a `basic` service would be empty, too; when the
 *   text begins or ends with white space, which is nearly always the line break of a file: authentik stores it without, and a browser cannot send it
 */
export function resolveSecret(text: SecretText): pulumi.Output<string> {
  const variables = new pulumi.Config("variables");
  const values = text.variables.map((name) => variables.getSecret(name) ?? fromEnvironment(name));
  return pulumi.secret(pulumi.all(values).apply((known) => fillSecret(text, known)));
}

/** Returns the text with these values of its variables. @throws when one is empty, or the text begins or ends with white space */
export function fillSecret(text: SecretText, values: readonly string[]): string {
  const filled = filledIn(text, (name, index) => values[index] || missing(name));
  if (filled === filled.trim()) return filled;
  const commands = text.variables.map((name) => `pulumi config set --secret variables:${name}`);
  throw new pulumi.RunError(
    `the value of ${text.template} begins or ends with white space, e.g. a line break of a file. Remove it, and change a password that has it${commands.length === 0 ? "" : `: ${commands.join(", ")}`}`,
  );
}

function fromEnvironment(name: string): string {
  return process.env[name] || missing(name);
}

function missing(name: string): never {
  throw new pulumi.RunError(
    `template variable "${name}" is not set, or empty; run: pulumi config set --secret variables:${name}`,
  );
}
