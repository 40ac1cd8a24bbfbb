import type { Shell } from "../../ops/commands/shell.ts";
import { projectFolder } from "../../ops/toolchain/paths.ts";
import { quiet } from "./quiet.ts";

/** A shell without a terminal and with an empty environment, as default in tests. */
export const SHELL: Shell = {
  project: projectFolder(),
  data: projectFolder(),
  environment: {},
  folder: projectFolder(),
  colours: false,
  now: () => new Date("2026-11-21T10:00:00Z"),
  progress: quiet,
  ask: undefined,
  interruption: () => new AbortController().signal,
  out: () => undefined,
  error: () => undefined,
};
