import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** File that marks a folder as a data folder of Gatehouse. */
export const MARKER = ".gatehouse-data";
export const MARK = "The local platform of Gatehouse keeps its state here. npm run stop -- --purge removes it.\n";

/** Makes a data folder that is missing or empty ours, so that the local platform takes it although something else wrote there first. */
export function claimDataFolder(data: string): void {
  mkdirSync(data, { recursive: true });
  if (readdirSync(data).length === 0) writeFileSync(join(data, MARKER), MARK);
}
