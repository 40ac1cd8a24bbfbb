import { type Path, pathText } from "./path.ts";
import { FUNCTIONS_SCHEMA, type GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { Relation, Unrecorded } from "./live.ts";

/** The API's own views of the system catalog, in the first exposed schema (infra/data/sql/060_meta_views.sql); they list readable relations only. */
const META = /^meta_(endpoints|sources|dimensions)$/;

/**
 * Returns what a relation on a path from an exposed one reads without a dependency that Postgres records: the system catalog contains names, comments and, as
 * statistics, values of private relations.
 * @param path from the exposed relation, with `read`
 */
export function* unrecordedFindings(
  relation: Relation,
  read: Relation,
  unrecorded: readonly Unrecorded[],
  { through, filled }: Path,
  { schemas }: GrantExpectation,
): Iterable<GrantFinding> {
  const [api] = [...schemas.values()].filter(({ access }) => access === "exposed");
  const isMeta = read.schema === api?.name && META.test(read.name.slice(read.schema.length + 1));
  if (isMeta || read.schema === FUNCTIONS_SCHEMA || read.extension) return;
  const path = pathText(through);
  const report = reporter(`${relation.kind} ${relation.name}`, relation.schema);
  for (const { kind, name, schema } of unrecorded) {
    const hint = `take ${name} out of it, or drop it; until then what it reads is public`;
    if (kind === "catalog") {
      yield report("leak", `serves rows of ${name}${path}, which describes private relations, too`, hint);
    } else if (kind === "function" && filled) {
      yield report("leak", `is filled with what ${name}${path} returns, with the rights of an owner`, hint);
    } else if (kind === "remote" && schemas.get(schema ?? "")?.access === "private") {
      yield report("leak", `serves rows of the private ${name}${path}, through a foreign server`, hint);
    }
  }
}
