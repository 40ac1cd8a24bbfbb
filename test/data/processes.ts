/** Processes of the data API. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { MARK } from "../../local/platform/sweep.ts";

/** Returns the ids of the processes of PostgREST. */
export function instances(): number[] {
  const own = `${MARK}=${inject("data").data}:`;
  return processes().filter((id) => read(id, "comm").trim() === "postgrest" && read(id, "environ").includes(own));
}

/** Returns the id of the postmaster. */
export function postmaster(): number {
  const file = join(inject("data").data, "postgres", "cluster", "postmaster.pid");
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

/** Returns the ids of the postmaster and its sessions, which overwrite their environment. */
export function sessions(): number[] {
  const first = postmaster();
  return processes().filter((id) => id === first || Number(/^PPid:\s+(\d+)/m.exec(read(id, "status"))?.[1]) === first);
}

/** Returns the total anonymous memory of these processes in megabytes, i.e. without shared buffers. */
export function memoryOf(ids: readonly number[]): number {
  const kilobytes = ids.map((id) => Number(/^RssAnon:\s+(\d+)/m.exec(read(id, "status"))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "latin1");
  } catch {
    return ""; // it has ended
  }
}
