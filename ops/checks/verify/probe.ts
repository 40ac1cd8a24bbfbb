/** Probes by kind and subject; several run at once. */
import pLimit from "p-limit";
import { errorText } from "../../../config/errors/errorText.ts";
import type { Report } from "../../terminal/progress.ts";
import type { Check, ReportedCheck } from "../check.ts";
import { redactAll } from "../redact.ts";
import type { Kind } from "./hints.ts";

/** Some checks of one kind on one thing. */
export interface Probe {
  readonly kind: Kind;
  readonly subject: string;
  readonly run: () => Promise<readonly Check[]>;
}

/** A check of a probe in a report. */
export interface ProbeCheck extends ReportedCheck {
  readonly kind: Kind;
}

/**
 * Probes that run at once: a probe mostly waits for answers, but its requests are load for a gateway that serves users at
 * the same time.
 */
const MAX_CONCURRENT_PROBES = 16;

/** Control and format characters except line breaks: those of a host's response would move the cursor of a terminal, or hide text. */
const CONTROLS = /[^\P{Cc}\n]|\p{Cf}/gu;

/**
 * Runs probes, at most 16 at once.
 * @param report receives the progress
 * @param onEnd receives the checks of each probe when it ends
 * @returns their checks, in the order of the probes
 */
export async function runProbes(
  probes: readonly Probe[],
  report: Report = () => undefined,
  onEnd: (probe: Probe, checks: readonly ProbeCheck[]) => void = () => undefined,
): Promise<ProbeCheck[]> {
  const limit = pLimit(MAX_CONCURRENT_PROBES);
  let done = 0;
  const results = probes.map((probe) =>
    limit(async () => {
      const found = await checksOf(probe);
      const checks = found.map((check) => ({ kind: probe.kind, subject: probe.subject, ...printable(check) }));
      report(`${++done} of ${probes.length}`);
      onEnd(probe, checks);
      return checks;
    }),
  );
  return (await Promise.all(results)).flat();
}

function printable(check: Check): Check {
  return redactAll(check, (text) => text.replaceAll(CONTROLS, "?"));
}

/** Returns the checks of a probe. One that throws is a failed check. */
async function checksOf({ kind, subject, run }: Probe): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [{ name: `${kind} of ${subject}`, ok: false, detail: errorText(error) }];
  }
}
