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
}

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
