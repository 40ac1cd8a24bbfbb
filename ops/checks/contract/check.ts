import type { ClientBase } from "pg";
import type { Check } from "../check.ts";
import { type Change, isMissingRelation } from "./compare.ts";
import { type Comparison, compareSchemas } from "./comparison.ts";
import type { LockFolder } from "./lockFolder.ts";
import { painter } from "../../terminal/paint.ts";
import { countChanges, describeChanges } from "./report.ts";

/** The views of the default schema that the migrations replace (infra/data/sql/060_meta_views.sql). */
export const META_VIEWS = ["meta_endpoints", "meta_sources", "meta_dimensions"];

/**
 * Checks the default schema and every other that has a lock file. A schema with a lock file that is no longer exposed fails.
 * @param client connected to the data API's database, as any role
 * @param exposed schemas as the stack lists them
 * @param complete before a deployment: schemas of which every relation must exist already, unless none exists. What the deployment replaces is not
 *   compared, nor are missing relations of other schemas. Undefined: every relation is compared
 * @throws UserError for a broken lock file; what the connection throws
 */
export async function checkContracts(
  client: Pick<ClientBase, "query">,
  folder: LockFolder,
  exposed: readonly string[],
  complete?: readonly string[],
): Promise<Check[]> {
  const locks = folder.schemasOf(exposed).map((schema) => folder.read(schema));
  const comparisons = await compareSchemas(client, locks, exposed);
  return comparisons.map((comparison) => {
    const { schema, found } = comparison;
    const created = schema === exposed[0] ? META_VIEWS : [];
    // An empty schema is that of another database, or of one that was restored: its pipeline needs the deployment.
    const isEmpty = [...found.relations.keys()].every((name) => created.includes(name));
    const mayBeCreated = (change: Change): boolean =>
      complete !== undefined &&
      (created.includes(change.relation ?? "") ||
        ((isEmpty || !complete.includes(schema)) && isMissingRelation(change)));
    return contractCheck(comparison, mayBeCreated);
  });
}

/**
 * Returns the check of a contract; additions pass.
 * @param isIgnored selects changes that do not count; default: none
 */
export function contractCheck(
  { schema, exposed, changes: found }: Comparison,
  isIgnored: (change: Change) => boolean = () => false,
): Check {
  const check = (ok: boolean, detail: string): Check => ({ name: `contract of ${schema}`, ok, detail });
  if (!exposed) {
    const hint = "expose it again, or see docs/versioning.md for how to remove a schema";
    return check(false, `it has a contract and is no longer exposed; ${hint}`);
  }
  if (!found) return check(true, "no contract yet; to accept the current columns, run npx gatehouse contract accept");
  const changes = found.filter((change) => !isIgnored(change));
  const breaking = changes.filter((change) => change.breaking);
  if (breaking.length === 0) return check(true, changes.length === 0 ? "kept" : `kept; ${countChanges(changes)}`);
  const lines = describeChanges(breaking, painter(false));
  const hint = "Restore these, or see docs/versioning.md. npx gatehouse contract check prints them again.";
  return check(false, [countChanges(breaking), ...lines, hint].join("\n"));
}
