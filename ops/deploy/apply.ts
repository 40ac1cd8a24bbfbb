import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Plan } from "../../infra/plan/types.ts";
import { JOURNAL_ABOVE, journaled } from "../journal.ts";
import { noteLost } from "../lost.ts";
import type { PolicyOptions } from "../policyPack.ts";
import { recoverInterrupted } from "../recover.ts";
import { releaseStaleLock } from "./lock.ts";
import { EngineError, type Ran, type Report, runEngine } from "./run.ts";

/** A stack that is brought up or taken down. */
export interface Deployable {
  readonly stack: Stack;
  /** Of a stack whose program has one; many exposures are deployed with a journal. */
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
  const work = (): Promise<Ran> =>
    runEngine(
      report,
      (watch) => (verb === "up" ? stack.up({ ...watch, ...policy }) : stack.destroy(watch)),
      interrupted,
    );
  try {
    return await ((plan?.exposures.length ?? 0) > JOURNAL_ABOVE ? journaled(stack, work) : work());
  } catch (error) {
    if (error instanceof EngineError) await noteLost(stack, error.lost);
    throw error;
  }
}
