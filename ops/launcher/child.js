import { spawn } from "node:child_process";
import process from "node:process";
import { hasTerminal } from "./terminal.js";

/** An error that the user can fix; printed without a stack trace. */
export class LaunchError extends Error {}

/**
 * Runs a program to its end and forwards signals to it.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, onOutput?: (text: string) => void, endsWithParent?: boolean }} options `onOutput` receives its
 * output, which is otherwise printed; `endsWithParent`: it gets SIGTERM when the parent of this process ends
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
export function run(program, args, { cwd, env, onOutput, endsWithParent = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: onOutput ? ["ignore", "pipe", "pipe"] : "inherit" });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => onOutput?.(chunk));
    // A terminal sends Ctrl-C to the child too, and a second one would stop it immediately.
    const interrupt = () => hasTerminal() || child.kill("SIGINT");
    const terminate = () => child.kill("SIGTERM");
    process.on("SIGINT", interrupt).on("SIGTERM", terminate);
    // A killed npm forwards no signal, but this process gets another parent.
    const parent = process.ppid;
    const check = () => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      terminate();
    };
    const watch = endsWithParent ? setInterval(check, 500) : undefined;
    const done = () => {
      clearInterval(watch);
      process.off("SIGINT", interrupt).off("SIGTERM", terminate);
    };
    child.on("error", (error) => (done(), reject(error)));
    child.on("close", (code, signal) => (done(), resolve({ code, signal })));
  });
}
