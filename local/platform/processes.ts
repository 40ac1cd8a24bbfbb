import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { killTagged, TAG } from "./processTag.ts";
import { signalProcess } from "./procfs.ts";

export interface Program {
  /** Also the name of its log. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder; default: the log folder. */
  readonly cwd?: string;
  /** Added to {@link inherited}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
  /** The signal that stops it; SIGKILL for a program without state. */
  readonly stopSignal: NodeJS.Signals;
  /** Restarted when it ends, as by a service manager, unless it ended within `AT_ONCE`. */
  readonly restart?: true;
}

/** The user that a program runs as; only root can choose one. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** A program that ends sooner after its start is not restarted; milliseconds. */
const AT_ONCE = 500;
/** How long a program may take to end before it is killed, in milliseconds. */
const GRACE = 8_000;

/** Returns the variables that every program inherits from this process, none of which is secret. */
export function inherited(): Readonly<Record<string, string | undefined>> {
  const { PATH, NODE_COMPILE_CACHE, GOGC } = process.env;
  return { PATH, NODE_COMPILE_CACHE, GOGC };
}

/** The programs of one platform. None outlives the calling process: when that ends, a second process (reaper.ts) kills them. */
export class Processes {
  /** Resolves when a program ends unexpectedly; never rejects. */
  readonly failed: Promise<Error>;
  readonly logs: string;
  readonly #tag: string;
  readonly #running = new Map<ChildProcess, Program>();
  readonly #reaper: ChildProcess;
  #fail: (error: Error) => void = () => undefined;
  #stopping = false;

  /**
   * @param logs folder for `<name>.log`, created if missing
   * @param tag value of the variable TAG, unique to this run
   */
  constructor(logs: string, tag: string) {
    this.logs = logs;
    this.#tag = tag;
    this.failed = new Promise((resolve) => (this.#fail = resolve));
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    const reaper = [path.join(import.meta.dirname, "reaper.ts"), tag];
    this.#reaper = spawn(process.execPath, reaper, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    this.#reaper.unref();
  }

  /** Starts a program with an almost empty environment; its output goes to its log. With `ipc`, it can send messages. */
  start(program: Program, ipc: "ipc" | "ignore" = "ignore"): ChildProcess {
    const log = openSync(this.logOf(program.name), "w", 0o600);
    const child = spawn(program.command, program.args, {
      cwd: program.cwd ?? this.logs,
      env: { ...inherited(), [TAG]: this.#tag, ...program.env },
      ...(program.account && { uid: program.account.uid, gid: program.account.gid }),
      stdio: ["ignore", log, log, ipc],
      // A process group for each program: Ctrl-C in the terminal signals this process only, which then stops the programs in order.
      detached: true,
    });
    closeSync(log);
    this.#running.set(child, program);
    const started = Date.now();
    child.once("error", (error) => this.#ended(child, `could not be started: ${error.message}`));
    child.once("exit", (code, signal) => {
      const again = program.restart === true && Date.now() - started > AT_ONCE && !this.#stopping;
      if (again && this.#running.delete(child)) this.start(program);
      else this.#ended(child, signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
    return child;
  }

  /** Calls `check` until it returns true; an error counts as false. @throws Error when a program ends meanwhile, or after `deadline` milliseconds */
  async until(what: string, check: () => Promise<boolean>, deadline = 300_000): Promise<void> {
    let failure: Error | undefined;
    void this.failed.then((error) => (failure = error));
    const end = Date.now() + deadline;
    while (!(await check().catch(() => false))) {
      if (failure) throw failure;
      if (Date.now() > end)
        throw new Error(`${what} did not answer within ${deadline / 1000} s; its log is ${this.logOf(what)}`);
      await pause(30);
    }
  }

  logOf(name: string): string {
    return path.join(this.logs, `${name}.log`);
  }

  /** Stops every program; those in `first` before the others, which they need in order to stop cleanly. */
  async stop(first: readonly string[]): Promise<void> {
    this.#stopping = true;
    const all = [...this.#running];
    for (const turn of [true, false]) {
      const now = all.filter(([, { name }]) => first.includes(name) === turn);
      await Promise.all(now.map(([child, { stopSignal }]) => end(child, stopSignal, GRACE)));
    }
    await killTagged(this.#tag);
    this.#reaper.stdin?.end();
  }

  #ended(child: ChildProcess, how: string): void {
    const program = this.#running.get(child);
    this.#running.delete(child);
    if (!program || this.#stopping) return;
    const log = this.logOf(program.name);
    const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(-8);
    this.#fail(new Error(`${program.name} ${how}. The end of ${log}:\n${lines.map((line) => `  ${line}`).join("\n")}`));
  }
}

/** Stops a process that was started `detached`, and its group; kills it after `grace` milliseconds. */
export async function end(child: ChildProcess, signal: NodeJS.Signals, grace: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined || !isAlive(child)) return;
  const exited = once(child, "exit");
  const timer = setTimeout(() => signalProcess(-pid, "SIGKILL"), grace);
  signalProcess(-pid, signal);
  await exited;
  clearTimeout(timer);
}

export function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
