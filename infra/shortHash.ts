import { createHash } from "node:crypto";

/** Returns the first hexadecimal digits of the SHA-256 of a text. Names in deployments contain it. */
export function shortHash(text: string, digits = 8): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
