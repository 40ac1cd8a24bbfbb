/** Removes secrets from the output: known values, and text in the form of a credential. */
import { withoutCredentials } from "../../config/errors/errorText.ts";

/** Shorter values are not secrets, but parts of other words. */
const SHORTEST = 6;
const HIDDEN = "[redacted]";

const FORMS: readonly (readonly [RegExp, string])[] = [
  // JSON Web Tokens.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/\b(authorization|proxy-authorization|cookie|set-cookie)(["']?\s*[:=]\s*)[^\n]+/gi, `$1$2${HIDDEN}`],
  [/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\b(authentik_(?:session|csrf|proxy_\w+))=[^\s;,"']+/gi, `$1=${HIDDEN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, HIDDEN],
];

type Redact = (text: string) => string;

/** Removes values, also encoded in JSON, in a URL and in base64. */
export function withoutSecrets(secrets: Iterable<string>): Redact {
  const values = [...secrets].filter((secret) => secret.length >= SHORTEST);
  const spellings = new Set(values.flatMap(spellingsOf));
  // The longest first: one may contain another.
  const known = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
}

/** Removes values as {@link withoutSecrets}, and text in the form of a credential. */
export function redactor(secrets: Iterable<string>): Redact {
  const redact = withoutSecrets(secrets);
  return (text) => withoutCredentials(FORMS.reduce((left, [form, rest]) => left.replace(form, rest), redact(text)));
}

function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64");
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64, base64.replace(/=+$/, "")];
}

/** Returns the same value with every text in it redacted; keys stay. */
export function redactAll<T>(value: T, redact: Redact): T {
  const visit = (one: unknown): unknown => {
    if (typeof one === "string") return redact(one);
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value) as T;
}
