import type { Finding } from "../finding.ts";

/**
 * The consequence of a difference, the worst first: control over the API or the database; private rows are read; rows are changed;
 * something can be reached that the plan does not name; the API does not serve what it should; or a protection needs a superuser that the
 * stack does not have.
 */
const DANGERS = ["takeover", "leak", "write", "exposure", "outage", "unenforced"] as const;
export type Danger = (typeof DANGERS)[number];

/**
 * A difference between the plan's grants and the database. The subject is kind and qualified name as in SQL, e.g. `role web_anon`; the hint is SQL
 * that reverts it, ending in `;`, else what to change.
 */
export interface GrantFinding extends Finding {
  /** The planned schema that it is about; undefined for roles, the database and what is not in the plan. */
  readonly schema: string | undefined;
  readonly danger: Danger;
}

/** Returns a function that creates findings on one subject. @param schema the planned schema that it is in */
export function reporter(subject: string, schema?: string) {
  return (danger: Danger, message: string, hint: string): GrantFinding => ({
    severity: danger === "unenforced" ? "warning" : "error",
    subject,
    schema,
    danger,
    message,
    evidence: [],
    hint,
  });
}

/** Returns the most dangerous findings first, sorted by name among equals, and equal ones of two rules once. */
export function sortFindings(findings: Iterable<GrantFinding>): GrantFinding[] {
  const unique = new Map([...findings].map((finding) => [`${finding.subject}\n${finding.message}`, finding]));
  const key = ({ danger, subject, message }: GrantFinding) => `${DANGERS.indexOf(danger)} ${subject} ${message}`;
  return [...unique.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
