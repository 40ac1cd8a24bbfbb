import type { Settings } from "../config/settings.ts";

/** Whether a stack is for one machine: localhost is the only domain on which it exposes anything. */
export function developmentOnly({ domains }: Settings): boolean {
  return domains.filter(({ enabled }) => enabled).every(({ kind }) => kind === "localhost");
}
