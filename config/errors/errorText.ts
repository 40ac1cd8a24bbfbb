/** Credentials in an address: before the host, also a token alone or with `@` in the password, and as parameters. */
const ADDRESS_CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z\d+.-]{0,31}:\/\/)[^\s/"']+@/gi, "$1[redacted]@"],
  [
    /([?&](?:code|state|token|id_token_hint|access_token|refresh_token|client_secret|(?:ssl)?password|next|rd)=)[^\s&"'#]+/gi,
    "$1[redacted]",
  ],
];

/** Removes the credentials of addresses. Not those that the address itself encodes wrongly, such as a password with `/`. */
export function withoutCredentials(text: string): string {
  return ADDRESS_CREDENTIALS.reduce((left, [form, rest]) => left.replace(form, rest), text);
}

/**
 * Returns the text of a thrown value, for a message: that of the cause of a failed `fetch`, of each of several addresses that Node.js tried, the status
 * of what a client of Kubernetes throws (its message has headers and whole bodies), and the code of an error without a message. It contains no
 * credentials of an address, no value of a header, and nothing of a text that is not JSON.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorText).join(", ");
  if (!(error instanceof Error)) return withoutCredentials(String(error));
  const { code, cause } = error as Error & { readonly code?: unknown };
  if (typeof code === "number" && "headers" in error) return `HTTP ${code}`;
  if (error.message === "fetch failed" && cause !== undefined) return errorText(cause);
  // A token with a line break: the message has all of it.
  if (/^Headers\.\w+: /.test(error.message)) return "a header has invalid characters. Check the token for line breaks";
  if (error instanceof SyntaxError && error.message.endsWith("is not valid JSON")) return "it is not valid JSON";
  return withoutCredentials(error.message) || (typeof code === "string" ? code : error.name);
}
