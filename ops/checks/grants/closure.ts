import type { GrantExpectation } from "./expectation.ts";
import type { Danger, Finding } from "./finding.ts";
import type { Live, Relation, Routine } from "./live.ts";
import { quoted } from "./sql.ts";

/** Something that a relation of the API reads or calls, and the relations on the way there. */
interface Reached {
  readonly id: string;
  readonly through: readonly string[];
}

/**
 * What the relations of exposed schemas serve besides their own rows. A view reads with its owner's rights and a partitioned table shows
 * its partitions, so neither needs a grant on what it reads: at any depth, that must not be private nor outside of the plan.
 */
export function closureFindings(live: Live, expected: GrantExpectation): Finding[] {
  const relations = new Map(live.relations.map((relation) => [`pg_class:${relation.id}`, relation]));
  const routines = new Map(live.routines.map((routine) => [`pg_proc:${routine.id}`, routine]));
  const edges = Map.groupBy(live.dependencies, ({ source }) => source);
  const served = [...relations].filter(
    ([, { schema, kind }]) => kind !== "sequence" && expected.schemas.get(schema)?.access === "exposed",
  );
  return served.flatMap(([id, relation]) => {
    const reached = reachableFrom(id, edges, relations, relation.invoker);
    return reached.flatMap(({ id: target, through }) => {
      const read = relations.get(target);
      const called = routines.get(target);
      if (read !== undefined) return readFindings(relation, read, through, expected);
      return called?.definer === true ? callFindings(relation, called, through, expected) : [];
    });
  });
}

type Edges = ReadonlyMap<string, readonly { readonly target: string }[]>;

/**
 * Everything reached from a relation, each once, by a shortest way.
 * @param calls follow functions only: what a view with security_invoker reads, it reads with the rights of whom asks
 */
function reachableFrom(
  start: string,
  edges: Edges,
  relations: ReadonlyMap<string, Relation>,
  calls: boolean,
): Reached[] {
  const reached = new Map<string, Reached>([[start, { id: start, through: [] }]]);
  for (const { id, through } of reached.values()) {
    const name = id === start ? undefined : relations.get(id)?.name;
    const path = name === undefined ? through : [...through, name];
    for (const { target } of edges.get(id) ?? []) {
      if (calls && relations.has(target)) continue;
      if (!reached.has(target)) reached.set(target, { id: target, through: path });
    }
  }
  reached.delete(start);
  return [...reached.values()];
}

function readFindings(
  relation: Relation,
  read: Relation,
  through: readonly string[],
  expected: GrantExpectation,
): Finding[] {
  const report = (problem: string, hint: string, danger: Danger): Finding[] => [about(relation, problem, hint, danger)];
  const path = pathText(through);
  switch (expected.schemas.get(read.schema)?.access) {
    case "private": {
      const hint = `take ${read.name} out of it, or drop it; until then its rows are public`;
      return report(`serves rows of the private ${read.kind} ${read.name}${path}`, hint, "leak");
    }
    case undefined: {
      if (read.extension) return [];
      const problem = `serves rows of ${read.kind} ${read.name}${path}, in a schema that the configuration does not name`;
      return report(problem, `name schema ${quoted(read.schema)} in data_api.schemas, or take it out`, "leak");
    }
    default: {
      // Row security is for those who ask, and here the owner asks.
      const passes = read.secured && !read.forced && relation.kind.endsWith("view") && read.owner === relation.owner;
      if (!passes) return [];
      const problem = `serves every row of ${read.name}${path}, past its row security`;
      return report(problem, `ALTER TABLE ${read.name} FORCE ROW LEVEL SECURITY;`, "leak");
    }
  }
}

function callFindings(
  relation: Relation,
  called: Routine,
  through: readonly string[],
  expected: GrantExpectation,
): Finding[] {
  const schema = expected.schemas.get(called.schema);
  // The API's own functions run so on purpose; their owner is checked elsewhere.
  if (schema?.access === "internal" && called.owner === schema.owner) return [];
  const problem = `calls ${called.name}${pathText(through)}, which runs with the rights of ${quoted(called.owner)} (SECURITY DEFINER)`;
  return [about(relation, problem, `ALTER FUNCTION ${called.name} SECURITY INVOKER;`, "leak")];
}

function pathText(through: readonly string[]): string {
  return through.length === 0 ? "" : ` through ${through.join(" → ")}`;
}

function about({ kind, name, schema }: Relation, problem: string, hint: string, danger: Danger): Finding {
  return { object: `${kind} ${name}`, problem, hint, danger, schema };
}
