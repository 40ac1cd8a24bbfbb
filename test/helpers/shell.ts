import type { Shell } from "../../ops/commands/shell.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { painter } from "../../ops/terminal/paint.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

/** A shell without a terminal and with an empty environment, as default in tests. */
export const SHELL: Shell = {
  project: packageFolder(),
  data: packageFolder(),
  environment: {},
  folder: packageFolder(),
  paint: painter(false),
  now: () => new Date("2026-11-21T10:00:00Z"),
  progress: SILENT,
  ask: undefined,
  interruption: () => new AbortController().signal,
  out: () => undefined,
  error: () => undefined,
};
