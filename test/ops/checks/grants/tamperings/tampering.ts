/** A change of the database that is not in the plan, run as a superuser unless its SQL sets a role. */
export interface Tampering {
  /** Name of the test. */
  readonly name: string;
  readonly sql: string;
  /** Object and problem of each finding, all of them, the most dangerous first. */
  readonly found: readonly (readonly [object: string, problem: string])[];
  /** SQL that is true after the change and false before: what a role can do. */
  readonly condition?: string;
  /** SQL that reverts it if the hint is no SQL. */
  readonly fix?: string;
}

/** Whether a role has a privilege, as SQL. */
export const can = (kind: string, object: string, privilege: string, role = "web_anon") =>
  `has_${kind}_privilege('${role}', '${object}', '${privilege}')`;
