/** One thing that somebody does to the database behind the plan's back, as a superuser unless it says otherwise. */
export interface Tampering {
  readonly name: string;
  readonly sql: string;
  /** Object and problem of each finding, all of them, the most dangerous first. */
  readonly found: readonly (readonly [object: string, problem: string])[];
  /** SQL that is true now, and was not before: what somebody can do. */
  readonly proof?: string;
  /** What ends it, when the hint that is told is not SQL. */
  readonly mend?: string;
}

/** Whether a role has a privilege, as SQL. */
export const can = (kind: string, object: string, privilege: string, role = "web_anon") =>
  `has_${kind}_privilege('${role}', '${object}', '${privilege}')`;
