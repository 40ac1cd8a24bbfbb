/**
 * `npm test [-- ARGUMENT...]`: types, lint, format and every test. With arguments, these are for Vitest, which then runs alone after the checks.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import pLimit from "p-limit";
import { run } from "../ops/launcher/child.js";
import { errorText } from "../config/errors/errorText.ts";
import { packageFolder } from "../config/files/folders.ts";
import { PLATFORM_TOOLS } from "../local/platform/platform.ts";
import { createProgress } from "../ops/terminal/progress.ts";
import { ensureTools } from "../ops/toolchain/toolchain.ts";
import { FULL } from "./helpers/full.ts";
import { memoryFolder } from "./helpers/memoryFolder.ts";

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

interface Result {
  readonly name: string;
  readonly code: number;
  readonly seconds: number;
  readonly text: string;
  readonly isInterrupted: boolean;
}

/** A file of tests often waits for other programs. More steps need more CPU time for the same work: on two cores, three took 730 s and four 754 s. */
const STEPS_PER_CORE = 1.5;

/** Vitest prints colours into a pipe, too. */
const colour = process.stdout.isTTY ? [] : ["--no-color"];
const vitest = (projects: readonly string[], ...options: string[]): Step => ({
  name: projects.join("+"),
  command: ["vitest", "run", ...projects.flatMap((project) => ["--project", project]), ...colour, ...options],
});
const checks: Step[] = [
  { name: "types", command: ["tsc"] },
  { name: "types of catalog", command: ["tsc", "-p", "catalog"] },
  { name: "lint", command: ["oxlint"] },
  {
    name: "words",
    command: [
      "cspell",
      "lint",
      "--no-progress",
      "--no-summary",
      "--dot",
      "--cache",
      "--cache-location=.gatehouse/cspell",
    ],
  },
  { name: "format", command: ["oxfmt", "--check"] },
];
/** Parts of the project `live`, short enough that the last steps end at about the same time. */
const PARTS = 6;
const parts = Array.from({ length: PARTS }, (_, index): Step => {
  const { command } = vitest(["live"], `--shard=${index + 1}/${PARTS}`);
  return { name: `live ${index + 1}/${PARTS}`, command };
});
/** The longest first, so that all end at about the same time. A shared platform runs only as long as its tests. */
const all: Step[] = [
  vitest(["stack"]),
  vitest(["e2e"]),
  vitest(["data"]),
  ...checks,
  // A second worker would load all modules again, a fifth of the CPU time.
  vitest(["unit", "program", "emulators"], "--maxWorkers=1"),
  vitest(["own"]),
  vitest(["domains"]),
  ...parts,
  // The emulators share one file with Gatehouse (infra/apiRetry.ts), so that their tests seldom fail after a change elsewhere: those that start programs run with FULL=1.
  ...(FULL ? [vitest(["emulators-live"])] : []),
];

const memory = memoryFolder();
/** With four times the garbage, which needs some 150 MB more in each program, Go spends a fifth less CPU time (go.dev/doc/gc-guide#GOGC). */
const env = { GOGC: "400", ...process.env, ...(memory ? { TMPDIR: memory.path } : {}) };

/** A program that wakes up does not interrupt another one (sched(7), SCHED_BATCH): a twentieth less CPU time. None where `chrt` fails. */
const BATCH = ["-b", "0"];
const hasBatch = spawnSync("chrt", [...BATCH, "true"]).status === 0;

const args = process.argv.slice(2);
const steps =
  args.length === 0 ? all : [...checks, { name: "vitest", command: ["vitest", "run", ...colour, ...args] } as Step];
const results: Result[] = [];
if (args.length === 0) await installPrograms();
const started = performance.now();
await pLimit(args.length === 0 ? Math.ceil(STEPS_PER_CORE * availableParallelism()) : 1).map(steps, runStep);

for (const { name, code, text } of results) {
  if (code !== 0) process.stdout.write(`\n── ${name} failed (exit code ${code}) ──\n${tail(text)}`);
}
process.stdout.write("\n");
for (const { name, code, seconds } of results) {
  process.stdout.write(`${code === 0 ? "passed" : "FAILED"}  ${name} (${seconds} s)\n`);
}
const total = Math.round((performance.now() - started) / 1000);
process.stdout.write(`${total} s on ${availableParallelism()} cores\n`);
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
memory?.remove();

/** Obtains the programs that tests start. A test that had to build them for minutes would exceed its time limit. */
async function installPrograms(): Promise<void> {
  try {
    await ensureTools([...PLATFORM_TOOLS, "cloudnativepg-crds"], createProgress(), { local: true });
  } catch (error) {
    memory?.remove();
    process.stderr.write(`${errorText(error)}\n`);
    process.exit(1);
  }
}

/** Runs a step, and prints its output with its name. After an interruption, no step starts. */
async function runStep({ name, command }: Step): Promise<void> {
  if (results.some(({ isInterrupted }) => isInterrupted)) return;
  const since = performance.now();
  const [program, ...rest]: Step["command"] = hasBatch ? ["chrt", ...BATCH, ...command] : command;
  let text = "";
  let line = "";
  const onOutput = (chunk: string): void => {
    text += chunk;
    const lines = (line + chunk).split("\n");
    line = lines.pop() ?? "";
    for (const complete of lines) process.stdout.write(`[${name}] ${complete}\n`);
  };
  const { code, signal } = await run(program, rest, { cwd: packageFolder(), env, onOutput });
  if (line !== "") onOutput("\n");
  const seconds = Math.round((performance.now() - since) / 1000);
  results.push({ name, code: code ?? 1, seconds, text, isInterrupted: signal !== null });
}

/** What a failed step printed about its failure: Vitest's summary, else the end. */
function tail(text: string): string {
  const summary = text.lastIndexOf("Failed Tests");
  return summary < 0 ? text.split("\n").slice(-60).join("\n") : text.slice(text.lastIndexOf("\n", summary) + 1);
}
