import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { errorText } from "../../config/errors/errorText.ts";
import type { Plan } from "../../infra/plan/types.ts";
import type { PolicyOptions } from "./policyPack.ts";
import { type Recovered, recoverInterrupted } from "./recovery/recovery.ts";
import { keepingAccess } from "./recovery/accessRecords.ts";
import { hasCheckpoints, type Recorder, withoutCheckpoints } from "./recovery/checkpoints.ts";
import { recordSteps } from "./recovery/stepRecord.ts";
import { deleteLockOwner, recordLockOwner, releaseStaleLock } from "./state/lock.ts";
import type { Resource } from "./state/state.ts";
import { isRepeatable } from "./repeat.ts";
import { EngineError, type Ran, runEngine, type Watch } from "./run.ts";
import { merged, type Step } from "./step.ts";
import type { Report } from "../terminal/progress.ts";

interface Deployable {
  readonly stack: Stack;
  /** Of a stack whose program has one. */
  readonly plan?: Pick<Plan, "exposures">;
  /** Whether the engine writes the state after each step. Default: see {@link hasCheckpoints}. */
  readonly checkpoints?: boolean;
  /** Access that can be in effect until it is up (see accessRecords.ts). Default: none. */
  readonly access?: readonly Resource[];
  /** Whether its state is in a folder that no other machine uses. Default: no. */
  readonly isOwnFolder?: boolean;
  /** Whether {@link recover} ran just before. Default: it runs. */
  readonly recovered?: boolean;
  /** Whether the policy pack runs when it is brought up. */
  readonly policy: PolicyOptions;
}

/** Recovers an interrupted deployment: releases its lock (`isOwnFolder`: see {@link releaseStaleLock}), and completes the state. Changes the state only. */
export async function recover(
  stack: Stack,
  report: Report,
  interrupted?: AbortSignal,
  isOwnFolder?: boolean,
): Promise<Recovered> {
  await releaseStaleLock(stack, isOwnFolder);
  recordLockOwner(stack);
  return recoverInterrupted(stack, report, interrupted);
}

/**
 * Brings a stack up or takes it down, after {@link recover}. Recovers and continues after a run that {@link isRepeatable}.
 * @returns the result of the last run, with the completed steps of all
 * @throws EngineError when the engine stops; what {@link recover} throws
 */
export async function apply(
  deployable: Deployable,
  verb: "up" | "destroy",
  report: Report,
  interrupted?: AbortSignal,
): Promise<Ran> {
  const { stack, recovered = false, isOwnFolder } = deployable;
  if (!recovered) await recover(stack, report, interrupted, isOwnFolder);
  const done: Step[] = [];
  for (let run = 1; ; run++) {
    try {
      const ran = await runOnce(deployable, verb, report, interrupted);
      return { ...ran, done: merged([...done, ...ran.done]) };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      done.push(...error.done);
      const { errors, failed, unconfirmed, cause } = error;
      const failure = new EngineError(errors, { done: merged(done), failed, unconfirmed }, cause);
      if (!isRepeatable(failure, run, interrupted)) throw failure;
      report(`continuing after ${errors.join(", ")}`);
      await recover(stack, report, interrupted).catch((problem: unknown) =>
        Promise.reject(withProblem(failure, interrupted?.aborted ? "interrupted" : problem)),
      );
    }
  }
}

async function runOnce(
  deployable: Deployable,
  verb: "up" | "destroy",
  report: Report,
  interrupted: AbortSignal | undefined,
): Promise<Ran> {
  const { stack, plan, policy, access = [] } = deployable;
  const environment = { ...process.env, ...stack.workspace.envVars };
  const { checkpoints = hasCheckpoints(plan?.exposures.length ?? 0, environment) } = deployable;
  recordLockOwner(stack);
  const work = (recorder?: Recorder): Promise<Ran> =>
    runEngine(
      report,
      ({ signal, onEvent }) => {
        const watch: Watch = {
          signal,
          onEvent: (event) => {
            recorder?.onEvent(event);
            onEvent(event);
          },
        };
        const program = recorder?.program && { program: recorder.program };
        return verb === "up" ? stack.up({ ...watch, ...policy, ...program }) : stack.destroy(watch);
      },
      interrupted,
    );
  try {
    return await keepingAccess(stack, access, () => (checkpoints ? work() : withoutCheckpoints(stack, work)));
  } catch (error) {
    throw error instanceof EngineError ? recordUnconfirmed(stack, error) : error;
  } finally {
    deleteLockOwner(stack);
  }
}

/** Records the steps whose result is unknown. @returns the error, with that of the record */
function recordUnconfirmed(stack: Stack, error: EngineError): EngineError {
  try {
    recordSteps(stack, error.unconfirmed);
    return error;
  } catch (problem) {
    return withProblem(error, problem);
  }
}

function withProblem(error: EngineError, problem: unknown): EngineError {
  return new EngineError([...error.errors, errorText(problem)], error, error.cause);
}
