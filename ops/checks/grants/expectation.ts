import { readdirSync, readFileSync } from "node:fs";
import type { DataPlan, DefaultPrivilege, Grant, ObjectKind, SchemaPlan } from "../../../infra/plan/types.ts";

/** Postgres' name for everybody. */
export const PUBLIC = "public";

/** Where the functions of the event triggers and of every request live. */
export const FUNCTIONS_SCHEMA = "gatehouse";

/** What the database must look like: the plan, looked up by what is found there. */
export interface GrantExpectation {
  readonly database: string;
  readonly roles: DataPlan["roles"];
  readonly schemas: ReadonlyMap<string, SchemaPlan>;
  readonly grants: readonly Grant[];
  readonly defaultPrivileges: readonly DefaultPrivilege[];
  /** Of the anonymous role, in milliseconds. */
  readonly statementTimeout: number;
  /** Event triggers that the migrations make. */
  readonly eventTriggers: readonly string[];
  /** Parameters of the server that the migrations let the anonymous role set. */
  readonly parameters: readonly string[];
  /** As whom a request acts: the anonymous role, the authenticator, everybody. */
  readonly visitors: ReadonlySet<string>;
  /** The privileges that the matrix gives; none where it has no cell. */
  privileges(role: string, schema: string | undefined, kind: ObjectKind): readonly string[];
}

/** What the plan says, looked up by what the catalogue calls it. */
export function expectationOf(plan: DataPlan): GrantExpectation {
  const key = (role: string, schema: string | undefined, kind: ObjectKind) => JSON.stringify([role, schema, kind]);
  const cells = new Map(plan.grants.map((grant) => [key(grant.role, grant.schema, grant.kind), grant.privileges]));
  return {
    database: plan.database,
    roles: plan.roles,
    schemas: new Map(plan.schemas.map((schema) => [schema.name, schema])),
    grants: plan.grants,
    defaultPrivileges: plan.defaultPrivileges,
    statementTimeout: plan.limits.statementTimeout,
    eventTriggers: migrated(/^create event trigger (\w+)/gm),
    parameters: migrated(/^grant set on parameter (\w+) to :"anonymous"/gm),
    visitors: new Set([PUBLIC, plan.roles.anonymous, plan.roles.authenticator]),
    privileges: (role, schema, kind) => cells.get(key(role, schema, kind)) ?? [],
  };
}

const MIGRATIONS = new URL("../../../infra/data/sql/", import.meta.url);

/** What the migrations make besides the plan's grants: the first group of each match in their texts. */
function migrated(pattern: RegExp): string[] {
  const files = readdirSync(MIGRATIONS).sort();
  const texts = files.map((name) => readFileSync(new URL(name, MIGRATIONS), "utf8"));
  return texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}
