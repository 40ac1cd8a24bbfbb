import { withTimeout } from "../../clients/timeout.ts";
import type { Observation } from "./evidence.ts";

/** How long one look may take, in milliseconds. */
export const MAX_OBSERVATION_MS = 10_000;

/**
 * Looks at something that may be broken: a failure or a silence of more than `timeout` milliseconds is a reason, not an end.
 * @param what as the reason calls it, e.g. "the API server"
 */
export async function look<T>(
  what: string,
  work: () => Promise<T>,
  timeout = MAX_OBSERVATION_MS,
): Promise<Observation<T>> {
  try {
    return { seen: await withTimeout(work(), timeout) };
  } catch (error) {
    return { unseen: `${what}: ${reasonOf(error)}` };
  }
}

/** What was seen, if it was. */
export function seen<T>(look: Observation<T>): T | undefined {
  return "seen" in look ? look.seen : undefined;
}

/** One line of why something failed; the deepest cause says most, and an empty message less than its code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const { code } = error as Error & { code?: string | number };
  const first = error.message.trim().split("\n", 1)[0] ?? "";
  return first === "" ? String(code ?? error.name) : first;
}

/** Works through a list, a few at a time, in order; what has no turn within `budget` milliseconds has none. */
export async function inTurns<T, R>(
  list: readonly T[],
  work: (one: T) => Promise<R>,
  { width = 8, budget = 60_000 } = {},
): Promise<R[]> {
  const results: R[] = [];
  const end = Date.now() + budget;
  for (let start = 0; start < list.length && Date.now() < end; start += width) {
    results.push(...(await Promise.all(list.slice(start, start + width).map(work))));
  }
  return results;
}
