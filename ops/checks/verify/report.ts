/** The report as text: a table grouped by subject, the failed and skipped checks with hints, and a summary line. */
import Table from "cli-table3";
import { type Paint, signOf } from "../../terminal/paint.ts";
import { describeFinding } from "../finding.ts";
import { counts, stateOf } from "../check.ts";
import type { ProbeCheck } from "./probe.ts";

/** With more subjects, those whose checks all passed are only counted. */
const MAX_SUBJECTS = 60;
/** Width of a detail in the table; a failed or skipped check has its complete detail below the table. */
const MAX_WIDTH = 72;

/**
 * Returns the report as text for a terminal.
 * @param checks in the order of the probes
 * @param seconds how long it took
 */
export function describeChecks(checks: readonly ProbeCheck[], seconds: number, paint: Paint): string {
  const parts = [
    table(checks, paint),
    ...problemLines(checks, "failed", paint),
    ...problemLines(checks, "skipped", paint),
  ];
  return `${[...parts, `${sentence(checks)} (${seconds.toFixed(1)} s)`].join("\n")}\n`;
}

/** Returns `54 passed, 1 failed, 2 skipped (no certificate on http)`. */
export function sentence(checks: readonly Pick<ProbeCheck, "ok" | "skipped" | "detail">[]): string {
  return counts(checks, reasonsOf(checks));
}

/** Returns the reason of the skipped checks, if they have one in common that fits into the line. */
function reasonsOf(checks: readonly Pick<ProbeCheck, "ok" | "skipped" | "detail">[]): string {
  const skipped = checks.filter((check) => stateOf(check) === "skipped");
  const [reason = "", ...others] = new Set(skipped.map(({ detail }) => detail));
  return others.length === 0 && reason.length <= MAX_WIDTH && !reason.includes("\n") ? ` (${reason})` : "";
}

function table(checks: readonly ProbeCheck[], paint: Paint): string {
  const drawn = new Table({
    head: ["subject", "", "check", "observed"],
    style: { head: [], border: [], compact: true },
  });
  const groups = [...Map.groupBy(checks, ({ subject }) => subject)];
  const shown =
    groups.length <= MAX_SUBJECTS
      ? groups
      : groups.filter(([, own]) => own.some((check) => stateOf(check) !== "passed"));
  for (const [subject, own] of shown) {
    own.forEach((check, index) => {
      drawn.push([index === 0 ? subject : "", signOf(stateOf(check), paint), shortName(check), clip(check.detail)]);
    });
  }
  const rest = groups.length - shown.length;
  const more = rest > 0 ? [`and ${rest} subjects whose checks all passed`] : [];
  return [...(shown.length > 0 ? [drawn.toString()] : []), ...more].join("\n");
}

/** Returns the check's name without its subject, which is in the first column. */
function shortName({ name, subject }: ProbeCheck): string {
  const host = URL.parse(subject)?.hostname || subject;
  const about = [subject, host].find((text) => name.startsWith(text) || name.endsWith(` ${text}`));
  if (about === undefined) return name;
  const short = name.startsWith(about) ? name.slice(about.length) : name.slice(0, -about.length);
  return short.trim().replace(/ (to|of)$/, "");
}

function clip(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
}

/** Returns the lines of the failed or skipped checks, each with its hint; checks with the same detail and hint are one entry. */
export function problemLines(checks: readonly ProbeCheck[], state: "failed" | "skipped", paint: Paint): string[] {
  const own = checks.filter((check) => stateOf(check) === state);
  const groups = Map.groupBy(own, ({ detail, hint = "" }) => `${detail}\n${hint}`);
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined) return [];
    const { name, detail, response, hint = "" } = first;
    const isSkipped = state === "skipped";
    const subject = others.length > 0 ? `${name} (and ${others.length} more)` : name;
    const message = isSkipped ? `skipped: ${detail}` : detail;
    const evidence = response === undefined ? [] : [response];
    return describeFinding({ severity: isSkipped ? "warning" : "error", subject, message, evidence, hint }, paint);
  });
}
