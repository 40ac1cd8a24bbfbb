/**
 * Deployments that note each step instead of writing the whole state after it.
 *
 * A file backend gets the whole state from the engine after each step, so that a deployment's time grows with the square of its size. To
 * the Pulumi service the same engine sends a journal: what it begins and what came of it, secrets encrypted. Here a service on loopback
 * takes that journal into a file, and the state is computed from it once: at the end of the run or, when that was killed, before the next.
 */
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { serveJournal } from "./journalService.ts";
import { type JournalEntry, replay } from "./replay.ts";
import { exportState, importState, type State } from "./state.ts";

/** Below this many exposures the engine's own way costs seconds, and needs nothing of ours. */
export const JOURNAL_ABOVE = 100;

/**
 * Runs the engine with a journal. The stack's backend sees the new state when the run has ended, well or not. A journal that ends in the
 * middle of something, since the engine was killed, stays for {@link readJournal}.
 * @param run one run of the engine on this stack, e.g. `stack.up()`; may not run others beside it
 * @throws what `run` throws; Error when there is a journal of a killed run
 */
export async function journaled<T>(stack: Stack, run: () => Promise<T>): Promise<T> {
  const file = fileOf(stack);
  const base = await exportState(stack);
  const entries: JournalEntry[] = [];
  await writeFile(file, `${JSON.stringify(base)}\n`, { mode: 0o600, flag: "wx" });
  const state = (): State => stateAfter(base, entries);
  const service = await serveJournal({
    stack: stack.name,
    credentials: `${file}.credentials`,
    add: async (more) => {
      await appendFile(file, more.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      entries.push(...more);
    },
    state,
  });
  try {
    return await withEnvironment(stack, service.environment, run);
  } finally {
    await service.close();
    const after = state();
    if (after.deployment.pending_operations?.length === 0) {
      await importState(stack, after);
      await rm(file);
    }
  }
}

/** What a killed run left. */
export interface LeftJournal {
  /** What it began with. */
  readonly base: State;
  /** What it came to; what was under way stands in `pending_operations`, which an import would drop. */
  readonly after: State;
  readonly file: string;
}

/** @returns undefined when no run was killed, or one that had not noted what it began with, and so had done nothing */
export async function readJournal(stack: Stack): Promise<LeftJournal | undefined> {
  const file = fileOf(stack);
  const text = await readFile(file, "utf8").catch(() => "");
  // The engine goes on only when a line has been written, so a line cut short is of a step that it has not begun.
  const lines = text.split("\n").slice(0, -1);
  const [base, ...entries] = lines.map((line) => JSON.parse(line) as unknown) as [State | undefined, ...JournalEntry[]];
  if (base === undefined) {
    await rm(file, { force: true });
    return undefined;
  }
  return { base, after: stateAfter(base, entries), file };
}

function fileOf({ name, workspace }: Stack): string {
  return join(workspace.workDir, `journal-${name}.jsonl`);
}

function stateAfter(base: State, entries: readonly JournalEntry[]): State {
  return { ...base, deployment: replay(base.deployment, entries) };
}

async function withEnvironment<T>(
  { workspace }: Stack,
  environment: Readonly<Record<string, string>>,
  run: () => Promise<T>,
): Promise<T> {
  const before = workspace.envVars;
  workspace.envVars = { ...before, ...environment };
  try {
    return await run();
  } finally {
    workspace.envVars = before;
  }
}
