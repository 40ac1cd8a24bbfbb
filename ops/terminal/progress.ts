import { type Paint, painterOf, signOf } from "./paint.ts";

/** Receives the progress of a step, which is shown after its title. */
export type Report = (detail: string) => void;

/** Reports progress on standard error; standard output is for results. */
export interface Progress {
  /**
   * Runs `work` under a title. Steps may nest and run concurrently.
   * `usually` is the usual duration, e.g. "20 s".
   * Throws what `work` throws.
   */
  step<T>(title: string, work: (report: Report) => Promise<T>, usually?: string): Promise<T>;
  /** Prints a line that is not overwritten. */
  note(line: string): void;
}

/** A progress without output. */
export const SILENT: Progress = { step: (_title, work) => work(() => undefined), note: () => undefined };

interface Running {
  readonly title: string;
  readonly usually: string | undefined;
  readonly since: number;
  detail: string;
}

type Output = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns"> & Partial<Pick<NodeJS.WriteStream, "hasColors">>;

type Result = "passed" | "failed";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Interval in milliseconds at which a long step prints its progress to a log. */
const HEARTBEAT = 60_000;

/** Shows the running steps with a spinner below the output on a terminal; otherwise prints a line at the start and at the end of each. */
export function createProgress(output: Output = process.stderr): Progress {
  return output.isTTY ? liveProgress(output, painterOf(output)) : plainProgress(output, painterOf(output));
}

function liveProgress(output: Output, paint: Paint): Progress {
  const running = new Set<Running>();
  let drawn = 0;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;

  const draw = (above: string) => {
    const lines = [...running].map((step) =>
      clip(`${FRAMES[frame % FRAMES.length]} ${describe(step)}`, output.columns),
    );
    const erase = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : "";
    output.write(erase + above + lines.map((line) => `${line}\n`).join(""));
    drawn = lines.length;
  };
  const tick = () => {
    frame++;
    draw("");
  };

  return {
    async step(title, work, usually) {
      const step: Running = { title, usually, since: Date.now(), detail: "" };
      running.add(step);
      timer ??= setInterval(tick, 120).unref();
      draw("");
      const finish = (result: Result) => {
        running.delete(step);
        if (running.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
        draw(`${signOf(result, paint)} ${title} ${paint("dim", `(${elapsed(step)})`)}\n`);
      };
      return settle(work, (detail) => (step.detail = detail), finish);
    },
    note: (line) => draw(`${line}\n`),
  };
}

function plainProgress(output: Output, paint: Paint): Progress {
  return {
    async step(title, work, usually) {
      const step: Running = { title, usually, since: Date.now(), detail: "" };
      output.write(`… ${title}${usually ? ` (usually ${usually})` : ""}\n`);
      let printed = "";
      const printProgress = () => {
        if (step.detail !== printed) output.write(`… ${describe(step)}\n`);
        printed = step.detail;
      };
      const heartbeat = setInterval(printProgress, HEARTBEAT).unref();
      const finish = (result: Result) => {
        clearInterval(heartbeat);
        output.write(`${signOf(result, paint)} ${title} (${elapsed(step)})\n`);
      };
      return settle(work, (detail) => (step.detail = detail), finish);
    },
    note: (line) => void output.write(`${line}\n`),
  };
}

async function settle<T>(
  work: (report: Report) => Promise<T>,
  report: Report,
  finish: (result: Result) => void,
): Promise<T> {
  try {
    const result = await work(report);
    finish("passed");
    return result;
  } catch (error) {
    finish("failed");
    throw error;
  }
}

function describe(step: Running): string {
  const usually = step.usually ? `, usually ${step.usually}` : "";
  return `${step.title}${step.detail ? `: ${step.detail}` : ""} (${elapsed(step)}${usually})`;
}

function elapsed(step: Running): string {
  const seconds = (Date.now() - step.since) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** Shortens a line to the terminal's width: only a part of a wrapped line would be erased. */
function clip(line: string, columns: number): string {
  const width = columns || 80;
  return line.length < width ? line : `${line.slice(0, width - 2)}…`;
}
