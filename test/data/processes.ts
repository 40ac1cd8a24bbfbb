/** Processes of the data API. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { processIds, readProcess } from "../../local/platform/procfs.ts";
import { TAG } from "../../local/platform/processTag.ts";

/** Returns the ids of the processes of PostgREST. */
export function instances(): number[] {
  const own = `${TAG}=${inject("data").data}:`;
  return processIds().filter(
    (id) => readProcess(id, "comm").trim() === "postgrest" && readProcess(id, "environ").includes(own),
  );
}

/** Returns the id of the postmaster. */
export function postmaster(): number {
  const file = join(inject("data").data, "postgres", "cluster", "postmaster.pid");
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

/** Returns the ids of the postmaster and its sessions, which overwrite their environment. */
export function sessions(): number[] {
  const first = postmaster();
  return processIds().filter(
    (id) => id === first || Number(/^PPid:\s+(\d+)/m.exec(readProcess(id, "status"))?.[1]) === first,
  );
}

/** Returns the total anonymous memory of these processes in megabytes, i.e. without shared buffers. */
export function memoryOf(ids: readonly number[]): number {
  const kilobytes = ids.map((id) => Number(/^RssAnon:\s+(\d+)/m.exec(readProcess(id, "status"))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
}
