/** Probes by kind and subject; several run at once. */
import pLimit from "p-limit";
import { errorText } from "../../../config/errorText.ts";
import type { Report } from "../../terminal/progress.ts";
import type { Check } from "../check.ts";

interface Failed {
  /** Host of an exposure, or the subject's own name. */
  readonly subject: string;
  readonly context: string;
}

const diagnose = ({ subject, context }: Failed): string => `run: npx gatehouse diagnose ${context} ${subject}`;

/** Kinds of checks in the order of reports, each with the hint of a failed one. */
const HINTS = {
  routes: diagnose,
  "sign-in": diagnose,
  spoofs: ({ context }: Failed) =>
    `run: npx gatehouse audit ${context}, which names what differs from the plan; until this check passes, trust no identity header there`,
  dns: diagnose,
  certificates: ({ subject }: Failed) =>
    `check what terminates TLS for ${subject} (domains.<kind>.tls); a private authority is trusted with NODE_EXTRA_CA_CERTS=FILE`,
  domains: ({ context }: Failed) => `find unmanaged routes: npx gatehouse audit ${context}`,
  "data-api": ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, then check the pods of the data API`,
  catalog: ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, then check the pods of the catalog`,
  database: ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, which restores roles and the grants of tables; for a view, run the statement that the check prints; npx gatehouse contract check prints all breaking changes`,
  cluster: ({ context }: Failed) =>
    `kubectl --context ${context} get pods --all-namespaces, and describe those that are not ready`,
  audit: ({ context }: Failed) => `run: npx gatehouse audit ${context}`,
} as const;

export type Kind = keyof typeof HINTS;
export const KINDS = Object.keys(HINTS) as readonly Kind[];

/** @param context named in the commands */
export function hintOf({ kind, subject }: Pick<Result, "kind" | "subject">, context: string): string {
  return HINTS[kind]({ subject: URL.parse(subject)?.hostname || subject, context });
}

/** Some checks of one kind on one thing. */
export interface Probe {
  readonly kind: Kind;
  /** What they are about: an origin, a domain, the database, the cluster. Reports are grouped by it. */
  readonly subject: string;
  readonly run: () => Promise<readonly Check[]>;
}

/** A check in a report. */
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
export async function runProbes(probes: readonly Probe[], report: Report = () => undefined): Promise<Result[]> {
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

/** A probe that throws is a failed check. */
async function checksOf({ kind, subject, run }: Probe): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [{ name: `${kind} of ${subject}`, ok: false, detail: errorText(error) }];
  }
}
