import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { inject } from "vitest";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output and standard error in their order. */
  readonly output: string;
}

let count = 0;

/**
 * Runs a command of the project as a user would, in the checkout of the test; its output is also in `<logs>/command-N.log`.
 * @param program e.g. `npx gatehouse deploy`
 */
export async function runCommand(program: string, ...args: readonly string[]): Promise<Ended> {
  const { project, environment, logs } = inject("cluster");
  const child = spawn(program, args, {
    cwd: project,
    // Without what the test runner sets.
    env: { HOME: process.env["HOME"], TERM: "dumb", GATEHOUSE_CACHE: process.env["GATEHOUSE_CACHE"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(path.join(logs, `command-${++count}.log`));
  log.write(`$ ${[program, ...args].join(" ")}\n`);
  let [stdout, output] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      log.write(text);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  log.end();
  return { code, stdout, output };
}
