/** Runs of the engine that are repeated because authentik answered with 5xx. */
import type { Report } from "../terminal/progress.ts";
import { isServerError } from "./reason.ts";
import { EngineError, type Ran, runEngine, type Watch } from "./run.ts";

/** Number of runs of one deployment, preview or refresh. */
const MAX_RUNS = 3;

/**
 * Returns whether to run the engine again: responses 5xx of authentik are the only errors. The Terraform provider does not repeat such requests: 4 of
 * 2,500 in a measurement, whose changes were in effect (docs/authentik.md).
 * @param run number of the failed run, from 1
 */
export function isRepeatable({ errors }: EngineError, run: number, interrupted: AbortSignal | undefined): boolean {
  return run < MAX_RUNS && interrupted?.aborted !== true && errors.every(isServerError);
}

/** Runs a preview or a refresh, which change at most the state, and repeats it if {@link isRepeatable}. @throws what {@link runEngine} throws */
export async function runRepeatable(
  report: Report,
  run: (watch: Watch) => Promise<unknown>,
  interrupted?: AbortSignal,
): Promise<Ran> {
  for (let count = 1; ; count++) {
    try {
      return await runEngine(report, run, interrupted);
    } catch (error) {
      if (!(error instanceof EngineError && isRepeatable(error, count, interrupted))) throw error;
      report(`repeating after ${error.errors.join(", ")}`);
    }
  }
}
