import pTimeout from "p-timeout";
import { errorText } from "../../config/errors/errorText.ts";

/** An observed value, or the reason why it is not available. */
export type Observation<T> = { readonly value: T } | { readonly unavailable: string };

/** How long one observation may take, in milliseconds. */
export const MAX_OBSERVATION_MS = 10_000;

/**
 * Reads something that may be broken: a failure, or no answer within `timeout` milliseconds, is a reason.
 * @param what the subject of the reason, e.g. "the API server"
 */
export async function observe<T>(
  what: string,
  work: () => Promise<T>,
  timeout = MAX_OBSERVATION_MS,
): Promise<Observation<T>> {
  try {
    const message = `no answer within ${timeout / 1000} s`;
    return { value: await pTimeout(work(), { milliseconds: timeout, message }) };
  } catch (error) {
    return { unavailable: `${what}: ${rootReason(error)}` };
  }
}

/** Returns the observed value; undefined if it is not available. */
export function observed<T>(observation: Observation<T>): T | undefined {
  return "value" in observation ? observation.value : undefined;
}

/** Returns the observed value. @throws Error with the reason if the value is not available */
export function required<T>(observation: Observation<T>): T {
  if ("unavailable" in observation) throw new Error(observation.unavailable);
  return observation.value;
}

/** Returns one line of why something failed: the reason of the deepest cause. */
export function rootReason(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return rootReason(error.cause);
  return errorText(error).split("\n", 1)[0] ?? "";
}
