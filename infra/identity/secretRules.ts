/** Rules of authentik for secrets, whose values only a deployment has. */
import * as pulumi from "@pulumi/pulumi";

/**
 * Returns a value that authentik compares with that of a request. With a character outside of ASCII the comparison fails, and with it each request of the
 * client (`hmac.compare_digest` in `TokenView`; measured on 2026.5.0-rc1: 405).
 * @param field where the stack file has it, e.g. `identity_provider.token`
 * @param max length that authentik stores (`OAuth2Provider.client_id`). Default: any
 * @throws RunError
 */
export function comparable(value: string, field: string, max = Infinity): string {
  if (!/^[\x20-\x7e]*$/.test(value)) {
    throw new pulumi.RunError(
      `${field}: contains a control character or one outside of ASCII, which authentik cannot compare. Use letters and digits.`,
    );
  }
  if (value.length <= max) return value;
  throw new pulumi.RunError(
    `${field}: has ${value.length} characters, of which authentik stores ${max}. Use a shorter one.`,
  );
}

/**
 * Returns a value of an environment variable `AUTHENTIK_*` that authentik reads as it is. It reads JSON, such as a number, `true` or a text in quotes, and URIs
 * of the schemes `env` and `file` (`ConfigLoader.update_from_env` and `parse_uri`): it would have another password than the database, or not start.
 * @param field where the stack file has it, e.g. `identity_provider.secret_key`
 * @throws RunError
 */
export function literalSetting(value: string, field: string): string {
  // The second is an error in urllib, with which authentik does not start.
  const isUri = /^(env|file):/i.test(value) || /^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*[[\]]/i.test(value);
  if (!isUri && !isJson(value)) return value;
  throw new pulumi.RunError(
    `${field}: is a number, another JSON value, or a URI, which authentik does not read as it is. Use another one, e.g. of: openssl rand -hex 32`,
  );
}

/** As Python's `json.loads`, which also accepts these three names. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return /^(NaN|-?Infinity)$/.test(text);
  }
}
