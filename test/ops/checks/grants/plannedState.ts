import fc from "fast-check";
import { dataPlan, IDLE_MS } from "../../../../infra/plan/grants.ts";
import type { DataPlan } from "../../../../infra/plan/types.ts";
import { LIMITS } from "../../../helpers/limits.ts";
import { expectationOf } from "../../../../ops/checks/grants/expectation.ts";
import type { DatabaseState, LivePrivilege, LiveRole, Relation } from "../../../../ops/checks/grants/databaseState.ts";

const names = fc.uniqueArray(fc.constantFrom("api_v1", "api_v2", "marts", "raw", "Odd Name", "private_marts"), {
  minLength: 2,
});

const BOUNDS = [
  "lock_timeout=1s",
  "work_mem=8MB",
  "hash_mem_multiplier=1",
  "max_parallel_workers_per_gather=0",
  "jit=off",
];

/** The plan of any choice of exposed and private schemas. */
export const plans: fc.Arbitrary<DataPlan> = fc
  .record({ schemas: names, split: fc.nat({ max: 3 }) })
  .map(({ schemas, split }) => planOf(schemas.slice(0, split + 1), schemas.slice(split + 1)));

export function planOf(exposed: readonly string[], hidden: readonly string[]): DataPlan {
  const roles = { anonymous: "web_anon", authenticator: "gate", owner: "pipeline" };
  const own = { database: "warehouse", existing: false, writers: [], hidden: [] };
  return dataPlan({ ...own, exposed, private: hidden, roles, limits: LIMITS }, { user: "admin", superuser: true });
}

export function relation(schema: string, name: string, more: Partial<Relation> = {}): Relation {
  return {
    id: `${schema}.${name}`,
    schema,
    name: `${schema}.${name}`,
    kind: "table",
    owner: "pipeline",
    invoker: false,
    secured: false,
    forced: false,
    policies: false,
    readable: false,
    extension: false,
    published: false,
    attached: false,
    ...more,
  };
}

export function privilege(more: Partial<LivePrivilege>): LivePrivilege {
  return {
    kind: "table",
    schema: "marts",
    name: "marts.sales",
    column: null,
    owner: "pipeline",
    grantee: "web_anon",
    grantor: "pipeline",
    grantable: false,
    privileges: ["SELECT"],
    planned: true,
    initial: false,
    ...more,
  };
}

function role(name: string, more: Partial<LiveRole> = {}): LiveRole {
  const none = { superuser: false, bypassrls: false, createrole: false, createdb: false, replication: false };
  return { name, ...none, login: true, inherit: true, settings: [], databaseSettings: [], ...more };
}

/** The system catalog of a database as planned; each schema has a table and a function. */
export function plannedState(plan: DataPlan): DatabaseState {
  const { anonymous, authenticator, owner, administrator } = plan.roles;
  const expected = expectationOf(plan);
  const relations = plan.schemas.map((schema) => relation(schema.name, "t", { owner: schema.owner }));
  const routines = plan.schemas.map((schema) => ({
    id: schema.name,
    schema: schema.name,
    name: `${schema.name}.f()`,
    kind: "function" as const,
    owner: schema.owner,
    definer: false,
    pinned: true,
    reachable: false,
    opaque: false,
    remote: false,
  }));
  const actual = plan.grants.filter(({ privileges }) => privileges.length > 0);
  return {
    roles: [
      role(anonymous, { login: false, settings: [`statement_timeout=${LIMITS.statementTimeout}`, ...BOUNDS] }),
      role(authenticator, {
        inherit: false,
        settings: [
          `idle_in_transaction_session_timeout=${IDLE_MS}`,
          "temp_file_limit=512MB",
          "log_min_error_statement=panic",
        ],
      }),
      role(owner),
      role(administrator, { superuser: true, createrole: true }),
    ],
    memberships: [
      {
        role: anonymous,
        member: authenticator,
        grantor: administrator,
        options: true,
        admin: false,
        inherit: false,
        set: true,
      },
    ],
    schemas: plan.schemas.map(({ name, owner: of }) => ({ name, owner: of, usable: true })),
    relations,
    routines,
    dependencies: [],
    unrecorded: [],
    privileges: [
      ...actual.map(({ kind, schema, role: grantee, privileges }) => {
        const name =
          kind === "table" ? `${schema}.t` : kind === "function" ? `${schema}.f()` : (schema ?? plan.database);
        return privilege({ kind, schema: schema ?? null, name, grantee, privileges });
      }),
      ...expected.parameters.map((name) =>
        privilege({ kind: "parameter", schema: null, name, privileges: ["SET"], planned: false }),
      ),
    ],
    defaults: plan.defaultPrivileges.map((cell) => ({
      owner: cell.owner,
      schema: cell.schema ?? null,
      kind: cell.kind,
      privileges: cell.privileges,
      grantee: cell.privileges.length === 0 ? null : cell.role,
    })),
    owned: [],
    unhandledTables: [],
    eventTriggersOff: [],
    eventTriggers: expected.eventTriggers.map((name) => ({
      name,
      enabled: true,
      always: true,
      owner: administrator,
      schema: "gatehouse",
    })),
  };
}
