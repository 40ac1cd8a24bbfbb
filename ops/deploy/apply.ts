import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Plan } from "../../infra/plan/types.ts";
import type { PolicyOptions } from "../policyPack.ts";
import { recoverInterrupted } from "../recover.ts";
import { CHECKPOINTS_UP_TO, type Recorder, withoutCheckpoints } from "./checkpoints.ts";
import { recordCreations } from "./creations.ts";
import { releaseStaleLock } from "./lock.ts";
import { EngineError, type Ran, type Report, runEngine, type Watch } from "./run.ts";

/** A stack that is brought up or taken down. */
export interface Deployable {
  readonly stack: Stack;
  /** Of a stack whose program has one; one with many exposures is deployed without checkpoints. */
  readonly plan?: Pick<Plan, "exposures">;
  /** Whether the policy pack runs when it is brought up. */
  readonly policy: PolicyOptions;
}

/** Takes over what a killed run left: its lock, and what it made without noting it. Changes nothing but the state. */
export async function takeOver(stack: Stack): Promise<readonly string[]> {
  await releaseStaleLock(stack);
  return recoverInterrupted(stack);
}

/**
 * Brings a stack up or takes it down, after {@link takeOver}.
 * @throws EngineError when the engine stops; what {@link takeOver} throws
 */
export async function apply(
  { stack, plan, policy }: Deployable,
  verb: "up" | "destroy",
  report: Report,
  interrupted?: AbortSignal,
): Promise<Ran> {
  await takeOver(stack);
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
    return await ((plan?.exposures.length ?? 0) > CHECKPOINTS_UP_TO ? withoutCheckpoints(stack, work) : work());
  } catch (error) {
    if (error instanceof EngineError) recordCreations(stack, error.lost);
    throw error;
  }
}
