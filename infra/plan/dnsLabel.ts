import { createHash } from "node:crypto";

/** Longest DNS label (RFC 1123), and so the longest name of most Kubernetes objects. */
const LABEL_LENGTH = 63;
export const HASH_LENGTH = 8;

/**
 * Joins parts with `-` to a DNS label. What is too long ends in a hash of the whole instead of its end.
 * @param parts lower-case labels
 */
export function dnsLabel(...parts: readonly string[]): string {
  const name = parts.join("-");
  if (name.length <= LABEL_LENGTH) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const head = name.slice(0, LABEL_LENGTH - HASH_LENGTH - 1).replace(/-+$/, "");
  return `${head}-${hash}`;
}
