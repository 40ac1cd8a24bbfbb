/**
 * The consequence of a difference, the worst first: control over the API or the database; private rows are read; rows are changed;
 * something can be reached that the plan does not name; the API does not serve what it should; or a protection needs a superuser that the
 * stack does not have.
 */
const DANGERS = ["takeover", "leak", "write", "reach", "outage", "unenforced"] as const;
export type Danger = (typeof DANGERS)[number];

/** One difference between the plan's grants and the database. */
export interface Finding {
  /** Kind and qualified name as in SQL, e.g. `view api_v1.sales`, `role web_anon`. */
  readonly object: string;
  /** The planned schema that it is about; undefined for roles, the database and what is not in the plan. */
  readonly schema: string | undefined;
  readonly danger: Danger;
  readonly problem: string;
  /** SQL that reverts it, ending in `;`, else what to change. */
  readonly hint: string;
}

/** Returns a function that creates the findings of one object. */
export function reporter(object: string, schema?: string) {
  return (danger: Danger, problem: string, hint: string): Finding => ({ object, schema, danger, problem, hint });
}

/** The most dangerous first, and by name among equals; equal findings of two rules once. */
export function sortFindings(findings: Iterable<Finding>): Finding[] {
  const unique = new Map([...findings].map((finding) => [`${finding.object}\n${finding.problem}`, finding]));
  const key = ({ danger, object, problem }: Finding) => `${DANGERS.indexOf(danger)} ${object} ${problem}`;
  return [...unique.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
