import { FUNCTIONS_SCHEMA, PUBLIC } from "../../../infra/plan/grants.ts";
import type { GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { DatabaseState, Relation, Routine, Unrecorded } from "./databaseState.ts";
import { bypassFindings } from "./rowSecurity.ts";
import { quoted } from "./sql.ts";

/** The API's own views of the system catalog, in the first exposed schema (infra/data/sql/060_meta_views.sql); they list readable relations only. */
const META = /^meta_(endpoints|sources|dimensions)$/;

/** How something is reached from an exposed relation. */
interface Path {
  /** Names of the relations on the path. */
  readonly through: readonly string[];
  /** The relation with whose owner's rights it is read; undefined = with those of the client's role. */
  readonly reader: Relation | undefined;
  /** The last materialized view of them: when it is filled, functions and views with security_invoker run with its owner's rights. */
  readonly filled: Relation | undefined;
}

/**
 * Returns findings for what the relations of exposed schemas serve in addition to their own rows. A view reads with its owner's rights and a partitioned table
 * shows its partitions, so neither needs a grant on what it reads: at any depth, that must be neither private nor outside of the plan. A partition contains
 * rows of its table, but has not the protection of its schema and row security.
 */
export function* closureFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const relations = new Map(
    live.relations.flatMap((relation) => [
      [`pg_class:${relation.id}`, relation],
      [`parent:${relation.id}`, relation],
    ]),
  );
  const routines = new Map(live.routines.map((routine) => [`pg_proc:${routine.id}`, routine]));
  const edges = Map.groupBy(live.dependencies, ({ source }) => source);
  const unrecorded = Map.groupBy(live.unrecorded, ({ id }) => id);
  // The client's role has the privileges of PUBLIC, too, and what a view reads needs no USAGE of its schema.
  const open = new Set(
    live.privileges
      .filter(({ grantee, privileges }) => grantee === PUBLIC && privileges.includes("SELECT"))
      .map(({ name }) => name),
  );
  for (const relation of live.relations) {
    if (relation.kind === "sequence" || expected.schemas.get(relation.schema)?.access !== "exposed") continue;
    const start = `pg_class:${relation.id}`;
    const reached = new Set([start]);
    // Each on a shortest path, and once more for each materialized view that is filled with it.
    const steps: { id: string; path: Path }[] = [
      { id: start, path: { through: [], reader: undefined, filled: undefined } },
    ];
    const taken = new Set([`${start} `]);
    for (const { id, path } of steps) {
      const [read, called] = [relations.get(id), routines.get(id)];
      if (called) yield* callFindings(relation, called, path, expected);
      const through = id === start || !read ? path.through : [...path.through, read.name];
      const filled = read?.kind === "materialized view" ? read : path.filled;
      const next: Path = { through, reader: read && !read.invoker ? read : filled, filled };
      if (read) yield* unrecordedFindings(relation, read, unrecorded.get(read.id) ?? [], next, expected);
      for (const { target } of edges.get(id) ?? []) {
        // A view with security_invoker reads with the rights of the client's role, but the functions that it calls may not.
        const source = relations.get(target);
        const unreadable = source !== undefined && !open.has(source.name);
        if (relation.invoker && unreadable) continue;
        // Other functions read with the rights of the client's role.
        if (called && unreadable && !filled) continue;
        const isParent = target.startsWith("parent:");
        const isFirst = !reached.has(target);
        // With its parent, a partition adds nothing; row security of the parent does not apply to one that is read itself.
        if (isParent && source && [relation.name, ...through].includes(source.name)) continue;
        if (source && target !== start) {
          const isNew = isFirst && !reached.has(target.replace("parent:", "pg_class:"));
          if (isNew) yield* readFindings(relation, source, next, expected, isParent);
          // On each path: row security may apply on the shortest one only.
          if (isFirst || !isParent)
            yield* bypassFindings(relation, source, next.reader, pathText(through), live, expected);
        }
        reached.add(target);
        const step = `${target} ${filled?.id ?? ""}`;
        if (taken.has(step)) continue;
        taken.add(step);
        steps.push({ id: target, path: next });
      }
    }
  }
}

function* readFindings(
  relation: Relation,
  read: Relation,
  { through, reader }: Path,
  { schemas }: GrantExpectation,
  isParent: boolean,
): Iterable<GrantFinding> {
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  const [path, access] = [pathText(through), schemas.get(read.schema)?.access];
  if (access === "private") {
    const hint = `${isParent ? `detach it from ${read.name}` : `take ${read.name} out of it`}, drop it, or move it to a private schema; until then its rows are public`;
    yield report("leak", `serves rows of the private ${read.kind} ${read.name}${path}`, hint);
  } else if (access === undefined && !read.published && !isParent) {
    const problem = `serves rows of ${read.kind} ${read.name}${path}, in a schema that the configuration does not name`;
    const hint = `name schema ${quoted(read.schema)} in data_api.schemas, e.g. as hidden, or take it out`;
    yield report("leak", problem, hint);
  } else if (access !== "exposed" && read.policies && !read.secured && !isParent && !reader?.kind.endsWith("table")) {
    // An exposed table is a finding itself, and policies of a partition do not apply to rows that are read through its table.
    const problem = `serves every row of ${read.name}${path}: ${read.name} has policies, but row security is off`;
    const hint = `enable it, which hides rows from other programs, too, or drop the policies if all rows of ${read.name} may be public`;
    yield report("leak", problem, hint);
  }
}

function* callFindings(
  relation: Relation,
  { schema, name, owner, definer, opaque, remote }: Routine,
  { through, filled }: Path,
  { schemas }: GrantExpectation,
): Iterable<GrantFinding> {
  const planned = schemas.get(schema);
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  if (remote) {
    const problem = `calls ${name}${pathText(through)}, which reads with credentials of its own: what it reads is not recorded`;
    yield report("leak", problem, `take ${name} out of it, or drop it; until then what it reads is public`);
    return;
  }
  if (filled && planned?.access === "private") {
    const problem = `is filled with what ${name}${pathText(through)} returns, of the private schema ${quoted(schema)}`;
    yield report("leak", problem, `take ${name} out of it, or drop it; until then its rows are public`);
    return;
  }
  if (filled && opaque && schema !== FUNCTIONS_SCHEMA) {
    const problem = `is filled with what ${name}${pathText(through)} returns, whose body is text: what it reads is not recorded`;
    const hint = `write the body in standard SQL (BEGIN ATOMIC), declare ${name} IMMUTABLE if it reads no relation, or take it out`;
    yield report("leak", problem, hint);
    return;
  }
  // The API's own functions are SECURITY DEFINER on purpose; their owner is checked in owners.ts.
  if (!definer || (planned?.access === "internal" && owner === planned.owner)) return;
  const problem = `calls ${name}${pathText(through)}, which runs with the rights of ${quoted(owner)} (SECURITY DEFINER)`;
  yield report("leak", problem, `ALTER FUNCTION ${name} SECURITY INVOKER;`);
}

/**
 * Returns what a relation on a path from an exposed one reads without a dependency that Postgres records: the system catalog contains names, comments and, as
 * statistics, values of private relations.
 * @param path from the exposed relation, with `read`
 */
function* unrecordedFindings(
  relation: Relation,
  read: Relation,
  unrecorded: readonly Unrecorded[],
  { through, filled }: Path,
  { schemas }: GrantExpectation,
): Iterable<GrantFinding> {
  const [api] = [...schemas.values()].filter(({ access }) => access === "exposed");
  const isMeta = read.schema === api?.name && META.test(read.name.slice(read.name.lastIndexOf(".") + 1));
  if (isMeta || read.schema === FUNCTIONS_SCHEMA || read.published) return;
  const path = pathText(through);
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  for (const { kind, name, schema } of unrecorded) {
    const hint = `take ${name} out of it, or drop it; until then what it reads is public`;
    if (kind === "catalog") {
      yield report("leak", `serves rows of ${name}${path}, which describes private relations, too`, hint);
    } else if (kind === "description") {
      yield report("leak", `serves what ${name} returns${path}, which describes private relations, too`, hint);
    } else if (kind === "function" && filled) {
      yield report("leak", `is filled with what ${name}${path} returns, with the rights of an owner`, hint);
    } else if (kind === "remote" && schemas.get(schema ?? "")?.access === "private") {
      yield report("leak", `serves rows of the private ${name}${path}, through a foreign server`, hint);
    }
  }
}

function pathText(through: readonly string[]): string {
  return through.length === 0 ? "" : ` through ${through.join(" → ")}`;
}
