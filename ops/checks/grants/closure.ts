import type { GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { Live, Relation, Routine } from "./live.ts";
import { quoted } from "./sql.ts";

/**
 * What the relations of exposed schemas serve in addition to their own rows. A view reads with its owner's rights and a partitioned table
 * shows its partitions, so neither needs a grant on what it reads: at any depth, that must be neither private nor outside of the plan.
 */
export function* closureFindings(live: Live, expected: GrantExpectation): Iterable<GrantFinding> {
  const relations = new Map(live.relations.map((relation) => [`pg_class:${relation.id}`, relation]));
  const routines = new Map(live.routines.map((routine) => [`pg_proc:${routine.id}`, routine]));
  const edges = Map.groupBy(live.dependencies, ({ source }) => source);
  for (const [start, relation] of relations) {
    if (relation.kind === "sequence" || expected.schemas.get(relation.schema)?.access !== "exposed") continue;
    // What is reached from the relation, each once, with the relations on a shortest path to it.
    const reached = new Map<string, readonly string[]>([[start, []]]);
    for (const [id, through] of reached) {
      const [read, called] = [relations.get(id), routines.get(id)];
      if (id !== start && read) yield* readFindings(relation, read, through, expected);
      if (called) yield* callFindings(relation, called, through, expected);
      const path = id !== start && read ? [...through, read.name] : through;
      for (const { target } of edges.get(id) ?? []) {
        // A view with security_invoker reads with the rights of the client's role, but the functions that it calls may not.
        if (!reached.has(target) && !(relation.invoker && relations.has(target))) reached.set(target, path);
      }
    }
  }
}

type Through = readonly string[];

function* readFindings(
  relation: Relation,
  read: Relation,
  through: Through,
  { schemas }: GrantExpectation,
): Iterable<GrantFinding> {
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  const [path, access] = [pathText(through), schemas.get(read.schema)?.access];
  if (access === "private") {
    const hint = `take ${read.name} out of it, or drop it; until then its rows are public`;
    yield report("leak", `serves rows of the private ${read.kind} ${read.name}${path}`, hint);
  } else if (access === undefined && !read.extension) {
    const problem = `serves rows of ${read.kind} ${read.name}${path}, in a schema that the configuration does not name`;
    yield report(
      "leak",
      problem,
      `name schema ${quoted(read.schema)} in data_api.schemas, e.g. as hidden, or take it out`,
    );
  } else if (access !== undefined && read.secured && !read.forced) {
    // Row security does not apply to the table's owner, with whose rights its own view reads.
    if (!relation.kind.endsWith("view") || read.owner !== relation.owner) return;
    const hint = `ALTER TABLE ${read.name} FORCE ROW LEVEL SECURITY;`;
    yield report("leak", `serves every row of ${read.name}${path}, past its row security`, hint);
  }
}

function* callFindings(
  relation: Relation,
  { schema, name, owner, definer }: Routine,
  through: Through,
  { schemas }: GrantExpectation,
): Iterable<GrantFinding> {
  const planned = schemas.get(schema);
  // The API's own functions are SECURITY DEFINER on purpose; their owner is checked in owners.ts.
  if (!definer || (planned?.access === "internal" && owner === planned.owner)) return;
  const problem = `calls ${name}${pathText(through)}, which runs with the rights of ${quoted(owner)} (SECURITY DEFINER)`;
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  yield report("leak", problem, `ALTER FUNCTION ${name} SECURITY INVOKER;`);
}

function pathText(through: Through): string {
  return through.length === 0 ? "" : ` through ${through.join(" → ")}`;
}
