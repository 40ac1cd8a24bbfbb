import { SUPERUSER_FEATURES, type SuperuserFeature } from "../../../config/sections/postgres/superuserFeatures.ts";
import { PUBLIC } from "../../../infra/plan/grants.ts";
import type { DataPlan, ObjectKind, SchemaPlan } from "../../../infra/plan/types.ts";

/** The planned state of the database, indexed by what is found there. */
export interface GrantExpectation extends Omit<DataPlan, "schemas"> {
  readonly schemas: ReadonlyMap<string, SchemaPlan>;
  /** Event triggers that the migrations create. */
  readonly eventTriggers: readonly string[];
  /** Parameters of the server that the migrations allow the anonymous role to set. */
  readonly parameters: readonly string[];
  /** The roles of a request: the anonymous role, the authenticator, PUBLIC. */
  readonly requestRoles: ReadonlySet<string>;
  /** The privileges that the matrix gives; none where it has no cell. */
  privileges(role: string, schema: string | undefined, kind: ObjectKind): readonly string[];
  /** Whether another role than those of a request may have a privilege on objects of a schema, although the matrix does not give it. */
  tolerates(role: string, schema: SchemaPlan, kind: string, privilege: string): boolean;
}

/** Privileges with which rows are changed, or code is added that runs when another role changes them. */
export const CHANGING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "MAINTAIN"]);
/** Of writers in the catalog (infra/data/sql/058_writers.sql). */
const DESCRIBING: ReadonlySet<string> = new Set(["USAGE", "SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE"]);

/** Indexes a plan by what is found in a database. */
export function expectationOf(plan: DataPlan): GrantExpectation {
  const key = (role: string, schema: string | undefined, kind: ObjectKind) => JSON.stringify([role, schema, kind]);
  const cells = new Map(plan.grants.map((grant) => [key(grant.role, grant.schema, grant.kind), grant.privileges]));
  return {
    ...plan,
    schemas: new Map(plan.schemas.map((schema) => [schema.name, schema])),
    eventTriggers: migrated("event trigger"),
    parameters: migrated("parameter"),
    requestRoles: new Set([PUBLIC, plan.roles.anonymous, plan.roles.authenticator]),
    privileges: (role, schema, kind) => cells.get(key(role, schema, kind)) ?? [],
    tolerates: (role, { access, owner }, kind, privilege) => {
      const isWriter = plan.writers.includes(role);
      if (access === "private") return false;
      // The data owner owns the catalog only.
      if (access === "internal") return isWriter && owner === plan.roles.owner && DESCRIBING.has(privilege);
      return kind === "schema" ? privilege === "USAGE" : isWriter || !CHANGING.has(privilege);
    },
  };
}

function migrated(kind: SuperuserFeature["kind"]): string[] {
  return SUPERUSER_FEATURES.flatMap((feature) => (feature.kind === kind ? [feature.name] : []));
}

const KINDS: Readonly<Record<string, ObjectKind>> = {
  table: "table",
  view: "table",
  "materialized view": "table",
  "foreign table": "table",
  column: "table",
  "partitioned table": "table",
  function: "function",
  procedure: "function",
  database: "database",
  schema: "schema",
  sequence: "sequence",
};

/** Returns the kind of a matrix cell that an object of this kind belongs to; undefined = none. */
export function kindInMatrix(kind: string): ObjectKind | undefined {
  return KINDS[kind];
}
