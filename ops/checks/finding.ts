/** What the checks of a deployment find, and how they print it. */
import { type Paint, signOf } from "../terminal/paint.ts";

export interface Finding {
  /** `error`: something is open, or does not work as planned. `warning`: it has no effect yet, or could not be checked. */
  readonly severity: "error" | "warning";
  /** What the finding is about: an object of the cluster, a cause, or a check. */
  readonly subject: string;
  readonly message: string;
  /** Observations that show it. */
  readonly evidence: readonly string[];
  /** What to do, with the command. */
  readonly hint: string;
}

/** Returns the lines of a finding: subject and message, and below them, indented, the evidence and the hint. */
export function describeFinding(finding: Finding, paint: Paint): string[] {
  const { severity, subject, message, evidence, hint } = finding;
  const head = `${signOf(severity === "error" ? "failed" : "skipped", paint)} ${subject}: ${message}`;
  return [head, ...evidence, hint]
    .filter((text) => text !== "")
    .map((text) => text.replaceAll("\n", "\n    "))
    .map((text, index) => (index === 0 ? text : `    ${text}`));
}

/** Returns a finding without its subject in one line. */
export function lineOf({ message, evidence }: Pick<Finding, "message" | "evidence">): string {
  return [message, ...evidence].join("; ");
}
