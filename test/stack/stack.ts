import { inject } from "vitest";
import { openOwnPlatform, type OwnPlatform, type OwnStack } from "../e2e/ownPlatform.ts";

/** Opens the platform of the folder, and its stack. */
export async function openShared(): Promise<{ own: OwnPlatform; stack: OwnStack }> {
  const own = openOwnPlatform(inject("running"));
  return { own, stack: await own.open("shared") };
}
