import type { Settings } from "../../settings.ts";

/** Returns whether images must state their digests. Default: unless localhost is the only domain on which the stack exposes anything. */
export function digestsRequired({ images, domains }: Pick<Settings, "images" | "domains">): boolean {
  return images.required ?? domains.some(({ enabled, kind }) => enabled && kind !== "localhost");
}
