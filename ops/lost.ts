/**
 * Creations that failed because the answer was lost: whether the object came about, nobody knows. The engine takes them for failed, and
 * would next time stumble over their names. They are noted beside the stack's file, for ops/recover.ts to look up.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Resource } from "./replay.ts";

/** What clients say when a connection ended before the answer came. One that was refused has brought nothing there. */
const LOST =
  /does not answer|other side closed|socket hang up|ECONNRESET|EOF|connection reset|time(d )?-?out|\b50[234]\b/i;
const NEVER_SENT = /ECONNREFUSED|connection refused/i;

/** Whether an error leaves open what became of a request. */
export function isLost(error: string): boolean {
  return LOST.test(error) && !NEVER_SENT.test(error);
}

/** Adds to what is noted. @param resources with their secrets masked, as events of the engine have them */
export async function noteLost(stack: Stack, resources: readonly Resource[]): Promise<void> {
  if (resources.length === 0) return;
  const all = [...(await readLost(stack)), ...resources];
  const each = new Map(all.map((resource) => [resource.urn, resource]));
  await writeFile(fileOf(stack), JSON.stringify([...each.values()]), { mode: 0o600 });
}

export async function readLost(stack: Stack): Promise<Resource[]> {
  return JSON.parse(await readFile(fileOf(stack), "utf8").catch(() => "[]")) as Resource[];
}

/** To be called once all of them were looked up. */
export async function forgetLost(stack: Stack): Promise<void> {
  await rm(fileOf(stack), { force: true });
}

function fileOf({ name, workspace }: Stack): string {
  return join(workspace.workDir, `lost-${name}.json`);
}
