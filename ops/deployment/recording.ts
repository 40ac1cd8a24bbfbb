import type { Progress, Report } from "../terminal/progress.ts";
import type { Part } from "./outcome.ts";

/** Reports the progress, and records the duration of each part for the outcome. */
export class Recording {
  readonly parts: Part[] = [];
  readonly #progress: Progress;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** Runs one part as a step of the progress. @throws what it throws */
  part<T>(name: string, work: (report: Report) => Promise<T>, usually?: string): Promise<T> {
    return this.timed(name, () => this.#progress.step(name, work, usually));
  }

  /** Runs one part that reports its own progress. @throws what it throws */
  async timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const note = (ok: boolean): void => void this.parts.push({ name, ok, ms: Math.round(performance.now() - since) });
    try {
      const result = await work();
      note(true);
      return result;
    } catch (error) {
      note(false);
      throw error;
    }
  }
}
