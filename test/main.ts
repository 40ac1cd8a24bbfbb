/**
 * `npm test [-- ARGUMENT...]`: types, lint, format and every test. Four files of tests run at a time on two cores, because a file waits for other programs
 * for about half of its time; six needed a quarter more CPU time for the same work. With arguments, these are for Vitest, which then runs alone after the checks.
 */
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { run } from "../ops/launcher/child.js";
import { packageFolder } from "../config/folders.ts";
import { FULL } from "./helpers/full.ts";

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

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
  { name: "format", command: ["prettier", "--check", "--cache", "--cache-location=.gatehouse/prettier", "."] },
];
/** Steps that run one after another, each list next to the others. A shared platform runs only as long as its tests. */
const lanes: Step[][] = [
  // The emulators share one file with Gatehouse (infra/apiRetry.ts), so that their tests seldom fail after a change elsewhere: those that start programs run with FULL=1.
  [vitest(["own", "live", ...(FULL ? ["emulators-live"] : [])])],
  [...checks, vitest(["stack"])],
  [vitest(["data"])],
  // A second worker would load all modules again, a fifth of the CPU time, and the other lanes use both cores.
  [vitest(["unit", "program", "emulators"], "--maxWorkers=1"), vitest(["domains"]), vitest(["e2e"])],
];

/** With four times the garbage, which needs some 150 MB more in each program, Go spends a fifth less CPU time (go.dev/doc/gc-guide#GOGC). */
const env = { GOGC: "400", ...process.env };

const args = process.argv.slice(2);
const chosen =
  args.length === 0 ? lanes : [[...checks, { name: "vitest", command: ["vitest", "run", ...colour, ...args] } as Step]];
const results: { readonly name: string; readonly code: number; readonly seconds: number; readonly text: string }[] = [];
const started = performance.now();
await Promise.all(chosen.map(runInTurn));

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

/** Runs steps one after another, also after one that failed. */
async function runInTurn(steps: readonly Step[]): Promise<void> {
  for (const { name, command } of steps) {
    const since = performance.now();
    const [program, ...rest] = command;
    let text = "";
    let line = "";
    const onOutput = (chunk: string): void => {
      text += chunk;
      const lines = (line + chunk).split("\n");
      line = lines.pop() ?? "";
      for (const whole of lines) process.stdout.write(`[${name}] ${whole}\n`);
    };
    const { code, signal } = await run(program, rest, { cwd: packageFolder(), env, onOutput });
    if (line !== "") onOutput("\n");
    results.push({
      name,
      code: signal ? 1 : (code ?? 1),
      seconds: Math.round((performance.now() - since) / 1000),
      text,
    });
    if (signal) return;
  }
}

/** What a failed step printed about its failure: Vitest's summary, else the end. */
function tail(text: string): string {
  const summary = text.lastIndexOf("Failed Tests");
  return summary < 0 ? text.split("\n").slice(-60).join("\n") : text.slice(text.lastIndexOf("\n", summary) + 1);
}
