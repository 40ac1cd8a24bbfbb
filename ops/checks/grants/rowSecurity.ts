import type { GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { DatabaseState, Relation } from "./databaseState.ts";
import { rolesOf } from "./roles.ts";
import { quoted } from "./sql.ts";

/**
 * Returns the finding of a table whose row security an exposed relation bypasses. A private table and one outside of the plan are findings themselves.
 * @param reader the relation with whose owner's rights it is read; undefined = with those of the client's role, to which row security applies
 * @param path how it is reached, as text
 */
export function* bypassFindings(
  relation: Relation,
  read: Relation,
  reader: Relation | undefined,
  path: string,
  live: DatabaseState,
  expected: GrantExpectation,
): Iterable<GrantFinding> {
  const access = expected.schemas.get(read.schema)?.access;
  if (access === undefined || access === "private" || !read.secured || !reader) return;
  const bypass = bypassOf(read, reader, live, expected);
  if (bypass === undefined) return;
  const problem = `serves every row of ${read.name}${path}, past its row security${bypass.why}`;
  yield reporter(`${relation.kind} ${relation.name}`, relation.schema)("leak", problem, bypass.hint);
}

/**
 * Returns why row security of a table does not apply to the relation that reads it, and what to do; undefined if it applies (PostgreSQL docs, "Row Security
 * Policies"): not to the table's owner and the members that inherit from it unless it is forced, not to roles with BYPASSRLS, and not to rows that are read
 * through a parent.
 */
function bypassOf(
  read: Relation,
  reader: Relation,
  live: DatabaseState,
  { schemas, existing }: GrantExpectation,
): { readonly why: string; readonly hint: string } | undefined {
  if (!reader.kind.endsWith("view")) {
    const hint = `ALTER TABLE ${reader.name} ENABLE ROW LEVEL SECURITY; and give it the policies of ${read.name}`;
    return reader.secured ? undefined : { why: "", hint };
  }
  const role = live.roles.find(({ name }) => name === reader.owner);
  const invoker = reader.kind === "view" ? ", or set security_invoker if its readers may read the table" : "";
  if (role?.superuser || role?.bypassrls) {
    const why = `: ${reader.name} is owned by ${quoted(role.name)} (${role.superuser ? "SUPERUSER" : "BYPASSRLS"})`;
    return { why, hint: `give ${reader.name} an owner without SUPERUSER and BYPASSRLS${invoker}` };
  }
  if (read.forced || !rolesOf(reader.owner, live, true).has(read.owner)) return undefined;
  const [readerOwner, owner] = [quoted(reader.owner), quoted(read.owner)];
  const why = readerOwner === owner ? "" : `: ${reader.name} is owned by ${readerOwner}, a member of ${owner}`;
  // With FORCE, the programs of the owner would read, load and delete no rows without a policy for it.
  const others = existing
    ? `give ${reader.name} another owner than ${owner} and its members`
    : schemas.get(reader.schema)?.access === "exposed"
      ? `give ${reader.name} an owner of data_api.writers that is no member of ${owner}`
      : `take ${read.name} out of ${reader.name}`;
  const hint = `${others}${invoker}`;
  return { why, hint };
}
