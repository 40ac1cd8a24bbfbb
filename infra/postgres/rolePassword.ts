import * as pulumi from "@pulumi/pulumi";
import type { SecretText } from "../../config/settings.ts";
import { resolveSecret } from "../secrets.ts";

/**
 * Returns the password of a role that the plugin `postgresql` creates. The plugin doubles each backslash, which has no meaning in the literal that it writes
 * (`pqQuoteLiteral` of its Terraform provider; measured with 3.18.1), so that the role would have another password than its clients.
 * @param field path in the stack file, e.g. `data_api.owner_password`
 * @throws what `resolveSecret` throws; a backslash rejects the output with a RunError
 */
export function resolveRolePassword(text: SecretText, field: string): pulumi.Output<string> {
  return resolveSecret(text).apply((password) => {
    if (!password.includes("\\")) return password;
    throw new pulumi.RunError(
      `${field}: contains a backslash, of which the plugin postgresql stores two. Use a password without backslashes.`,
    );
  });
}
