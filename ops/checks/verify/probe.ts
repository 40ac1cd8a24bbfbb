/** Probes by kind and subject; several run at once. */
import pLimit from "p-limit";
import { reasonOf } from "../reason.ts";
import type { Check } from "./check.ts";

/** Kinds of checks, in the order of reports. */
export const KINDS = [
  ...(["routes", "sign-in", "spoofs", "dns", "certificates", "domains"] as const),
  ...(["data-api", "catalog", "database", "cluster", "audit"] as const),
] as const;
export type Kind = (typeof KINDS)[number];

/** Some checks of one kind on one thing. */
export interface Probe {
  readonly kind: Kind;
  /** What they are about: an origin, a domain, the database, the cluster. Reports are grouped by it. */
  readonly subject: string;
  readonly run: () => Promise<readonly Check[]>;
}

/** A check as reports hold it. */
export interface Result extends Check {
  readonly kind: Kind;
  readonly subject: string;
}

/**
 * Probes that run at once: a probe mostly waits for answers, but its requests are load for a gateway that serves users at
 * the same time.
 */
const MAX_CONCURRENT_PROBES = 16;

/**
 * Runs probes, at most 16 at once.
 * @param report receives the progress
 * @returns their checks, in the order of the probes
 */
export async function runProbes(
  probes: readonly Probe[],
  report: (detail: string) => void = () => undefined,
): Promise<Result[]> {
  const limit = pLimit(MAX_CONCURRENT_PROBES);
  let done = 0;
  const results = probes.map((probe) =>
    limit(async () => {
      const checks = await checksOf(probe);
      report(`${++done} of ${probes.length}`);
      return checks.map((check) => ({ kind: probe.kind, subject: probe.subject, ...check }));
    }),
  );
  return (await Promise.all(results)).flat();
}

/** A probe that cannot even begin is a failed check. */
async function checksOf({ kind, subject, run }: Probe): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [{ name: `${kind} of ${subject}`, ok: false, detail: reasonOf(error) }];
  }
}
