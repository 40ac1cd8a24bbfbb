/** A report for people: a table grouped by subject, one line that sums it up, and the cures of what failed. */
import Table from "cli-table3";
import { type State, stateOf, summary } from "./check.ts";
import type { Result } from "./probe.ts";

/** Colours a text, where the terminal shows colours. */
export type Paint = (state: State, text: string) => string;

/** With more subjects than this, those of which every check held are only counted. */
const SUBJECTS = 60;
/** Columns of what was seen; longer texts are told whole below the table. */
const WIDTH = 72;
const SIGNS: Readonly<Record<State, string>> = { held: "✔", failed: "✖", skipped: "–" };

/**
 * @param checks in the order of the probes
 * @param seconds how long it took
 */
export function describeChecks(checks: readonly Result[], seconds: number, paint: Paint): string {
  const parts = [table(checks, paint), ...troubles(checks, "failed", paint), ...troubles(checks, "skipped", paint)];
  return `${[...parts, `${sentence(checks)} (${seconds.toFixed(1)} s)`].join("\n")}\n`;
}

/** `54 of 57 checks held, 1 failed, 2 were not made`. */
export function sentence(checks: readonly Result[]): string {
  const { held, failed, skipped } = summary(checks);
  const parts = [
    `${held} of ${checks.length} checks held`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? "was" : "were"} not made`] : []),
  ];
  return parts.join(", ");
}

function table(checks: readonly Result[], paint: Paint): string {
  const drawn = new Table({ head: ["subject", "", "check", "seen"], style: { head: [], border: [], compact: true } });
  const groups = [...Map.groupBy(checks, ({ subject }) => subject)];
  const shown = groups.length <= SUBJECTS ? groups : groups.filter(([, own]) => own.some(isTrouble));
  for (const [subject, own] of shown) {
    own.forEach((check, index) => {
      const state = stateOf(check);
      drawn.push([index === 0 ? subject : "", paint(state, SIGNS[state]), shortName(check), clip(check.detail)]);
    });
  }
  const rest = groups.length - shown.length;
  const more = rest > 0 ? [`and ${rest} subjects of which every check held`] : [];
  return [...(shown.length > 0 ? [drawn.toString()] : []), ...more].join("\n");
}

function isTrouble(check: Result): boolean {
  return stateOf(check) !== "held";
}

/** The check's name without its subject, which stands beside it. */
function shortName({ name, subject }: Result): string {
  const host = URL.parse(subject)?.hostname || subject;
  const about = [subject, host].find((text) => name.startsWith(text) || name.endsWith(` ${text}`));
  if (about === undefined) return name;
  const short = name.startsWith(about) ? name.slice(about.length) : name.slice(0, -about.length);
  return short.trim().replace(/ (to|of)$/, "");
}

function clip(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}

/** Lines on what failed, or was not looked at, each with its cure; what has one reason and cure is told once. */
export function troubles(checks: readonly Result[], state: "failed" | "skipped", paint: Paint): string[] {
  const own = checks.filter((check) => stateOf(check) === state);
  const groups = Map.groupBy(own, ({ detail, cure = "" }) => `${detail}\n${cure}`);
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined) return [];
    const { name, detail, answer, cure } = first;
    const rest = others.length > 0 ? ` (and ${others.length} more)` : "";
    const said = state === "skipped" ? `not checked: ${detail}` : detail;
    const head = `${paint(state, SIGNS[state])} ${name}${rest}: ${said.replaceAll("\n", "\n    ")}`;
    return [head, ...[answer, cure].flatMap((line) => (line === undefined ? [] : [`    ${line}`]))];
  });
}
