import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DataPlan } from "../../../../infra/plan/types.ts";
import { expectationOf } from "../../../../ops/checks/grants/expectation.ts";
import type { DatabaseState, LivePrivilege } from "../../../../ops/checks/grants/databaseState.ts";
import { compareGrants } from "../../../../ops/checks/grants/verification.ts";
import { plannedState, planOf, plans, privilege, relation } from "./plannedState.ts";
import { samples } from "../../../helpers/full.ts";

const found = (live: DatabaseState, plan: DataPlan) =>
  compareGrants(live, expectationOf(plan)).map(({ subject, message }) => `${subject}: ${message}`);

/** Whole plans are costly. */
const RUNS = samples(100);
const ALL = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"];

describe("for any plan", () => {
  test("finds nothing in a database as planned", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(found(plannedState(plan), plan)).toEqual([]);
      }),
      RUNS,
    );
  });

  test("finds any privilege on a table beyond the matrix", () => {
    const requestRole = fc.constantFrom("web_anon", "gate", "public");
    fc.assert(
      fc.property(plans, fc.nat(), requestRole, fc.constantFrom(...ALL), (plan, pick, grantee, extra) => {
        const schema = plan.schemas[pick % plan.schemas.length];
        const isPlanned = schema?.access === "exposed" && grantee === "web_anon" && extra === "SELECT";
        const live = plannedState(plan);
        const name = `${schema?.name}.t`;
        const entry = privilege({ schema: schema?.name ?? "", name, grantee, privileges: [extra] });
        const who = grantee === "public" ? "PUBLIC (all roles)" : grantee;
        const expected = isPlanned ? [] : [`table ${name}: ${who} has ${extra}`];
        expect(found({ ...live, privileges: [...live.privileges, entry] }, plan)).toEqual(expected);
      }),
      RUNS,
    );
  });

  test("finds any missing privilege", () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, pick) => {
        const live = plannedState(plan);
        const gone = live.privileges[pick % live.privileges.length] as LivePrivilege;
        const privileges = live.privileges.filter((entry) => entry !== gone);
        const findings = compareGrants({ ...live, privileges }, expectationOf(plan));
        const lack = `${gone.grantee} lacks ${gone.privileges.join(", ")}`;
        expect(findings.map(({ message, danger }) => [message, danger])).toEqual([[lack, "outage"]]);
      }),
      RUNS,
    );
  });

  test("finds any missing default privilege", () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, pick) => {
        const live = plannedState(plan);
        const gone = live.defaults[pick % live.defaults.length];
        const defaults = live.defaults.filter((entry) => entry !== gone);
        expect(found({ ...live, defaults }, plan)).toHaveLength(1);
      }),
      RUNS,
    );
  });
});

test("finds what another role may change, apart from a writer, and what a writer may not do in the catalog", () => {
  const plan = { ...planOf(["marts"], ["private_marts"]), writers: ["loader"] };
  const live = plannedState(plan);
  const loader = live.roles.map((role) => ({ ...role, superuser: false, name: "loader" })).slice(0, 1);
  const grants = (schema: string, grantee: string) =>
    privilege({
      schema,
      name: `${schema}.t`,
      grantee,
      privileges: ["DELETE", "INSERT", "SELECT", "TRIGGER", "UPDATE"],
    });
  const privileges = ["marts", "catalog", "gatehouse"].flatMap((schema) => [
    grants(schema, "loader"),
    grants(schema, "analyst"),
  ]);
  const all = "DELETE, INSERT, SELECT, TRIGGER, UPDATE";
  expect(
    found({ ...live, roles: [...live.roles, ...loader], privileges: [...live.privileges, ...privileges] }, plan),
  ).toEqual([
    `table catalog.t: analyst has ${all}`,
    "table catalog.t: loader has TRIGGER",
    `table gatehouse.t: analyst has ${all}`,
    `table gatehouse.t: loader has ${all}`,
    "table marts.t: analyst has DELETE, INSERT, TRIGGER, UPDATE",
  ]);
});

test("finds a writer that is a member of a superuser, and a data owner that is a member of an administrative role, but not of a writer", () => {
  const plan = { ...planOf(["marts"], ["private_marts"]), writers: ["loader"] };
  const live = plannedState(plan);
  const [loader] = live.roles.map((role) => ({ ...role, name: "loader" }));
  const member = { grantor: "admin", options: true, admin: false, inherit: true, set: true };
  const memberships = [
    { ...member, role: "admin", member: "loader" },
    { ...member, role: "loader", member: "pipeline" },
    { ...member, role: "analyst", member: "pipeline" },
    { ...member, role: "admin", member: "pipeline" },
  ];
  const of = (existing: boolean) =>
    found(
      {
        ...live,
        roles: [...live.roles, ...(loader ? [loader] : [])],
        memberships: [...live.memberships, ...memberships],
      },
      { ...plan, existing },
    );
  expect(of(false)).toEqual([
    "role loader: is a member of admin, and may become it",
    "role pipeline: is a member of admin, as are its views",
    "role pipeline: is a member of analyst, as are its views",
  ]);
  // Roles of an existing database may have memberships for other programs.
  expect(of(true)).toEqual(["role pipeline: is a member of admin, as are its views"]);
});

test("finds in an existing database only what another role reaches in an internal schema", () => {
  const plan = { ...planOf(["marts"], ["private_marts"]), existing: true };
  const live = plannedState(plan);
  const grants = ["marts", "catalog"].map((schema) =>
    privilege({ schema, name: `${schema}.t`, grantee: "analyst", privileges: ["SELECT", "TRIGGER"] }),
  );
  const of = (...more: LivePrivilege[]) =>
    found({ ...live, privileges: [...live.privileges, ...grants, ...more] }, plan);
  // As with default privileges of the administrator.
  expect(of()).toEqual([]);
  const usage = privilege({
    kind: "schema",
    schema: "catalog",
    name: "catalog",
    grantee: "analyst",
    privileges: ["USAGE"],
  });
  expect(of(usage)).toEqual(["table catalog.t: analyst has SELECT, TRIGGER", "schema catalog: analyst has USAGE"]);
});

describe("closure", () => {
  const plan = planOf(["api_v1", "marts"], ["private_marts"]);

  test("finds exactly the views without security_invoker that reach a private table", () => {
    const edge = fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 })).filter(([from, to]) => from > to);
    fc.assert(
      fc.property(fc.uniqueArray(edge, { selector: String }), fc.uniqueArray(fc.nat({ max: 7 })), (edges, invokers) => {
        const views = [1, 2, 3, 4, 5, 6, 7].map((n) =>
          relation("marts", `v${n}`, { kind: "view", invoker: invokers.includes(n) }),
        );
        const people = relation("private_marts", "v0");
        const id = (n: number) => (n === 0 ? "pg_class:private_marts.v0" : `pg_class:marts.v${n}`);
        const reaches = (n: number): boolean => n === 0 || edges.some(([from, to]) => from === n && reaches(to));
        const live = plannedState(plan);
        const selects = views.map(({ name }) => privilege({ kind: "view", schema: "marts", name }));
        const lines = found(
          {
            ...live,
            relations: [...live.relations, ...views, people],
            privileges: [...live.privileges, ...selects],
            dependencies: edges.map(([from, to]) => ({ source: id(from), target: id(to) })),
          },
          plan,
        );
        const leaking = lines.map((line) =>
          Number(/^view marts\.v(\d): serves rows of the private table/.exec(line)?.[1]),
        );
        expect(leaking).toEqual([1, 2, 3, 4, 5, 6, 7].filter((n) => !invokers.includes(n) && reaches(n)));
      }),
    );
  });

  test("finds what a function reads that a view calls, and that fills a materialized view which the view reads", () => {
    const live = plannedState(plan);
    const [view, filled] = [
      relation("marts", "v", { kind: "view" }),
      relation("marts", "m", { kind: "materialized view" }),
    ];
    const [people, f] = [relation("private_marts", "people"), "pg_proc:marts"];
    const dependencies = [
      { source: "pg_class:marts.v", target: f },
      { source: "pg_class:marts.v", target: "pg_class:marts.m" },
      { source: "pg_class:marts.m", target: f },
      { source: f, target: "pg_class:private_marts.people" },
    ];
    const selects = [view, filled].map(({ kind, name }) => privilege({ kind, schema: "marts", name }));
    const lines = found(
      {
        ...live,
        relations: [...live.relations, view, filled, people],
        privileges: [...live.privileges, ...selects],
        dependencies,
      },
      plan,
    );
    expect(lines).toEqual([
      "materialized view marts.m: serves rows of the private table private_marts.people",
      "view marts.v: serves rows of the private table private_marts.people through marts.m",
    ]);
  });

  test("ends for views that read each other in a cycle", () => {
    const live = plannedState(plan);
    const source = "pg_class:marts.t";
    const target = "pg_class:api_v1.t";
    const dependencies = [
      { source, target },
      { source: target, target: source },
    ];
    expect(found({ ...live, dependencies }, plan)).toEqual([]);
  });
});

test("quotes names in hints where SQL requires it", () => {
  const plan = planOf(["Odd Name"], ["private_marts"]);
  const live = plannedState(plan);
  const schemas = live.schemas.map((schema) => (schema.name === "Odd Name" ? { ...schema, owner: 'Per"son' } : schema));
  const [finding, ...others] = compareGrants({ ...live, schemas }, expectationOf(plan));
  expect(others).toEqual([]);
  expect(finding).toEqual({
    severity: "error",
    subject: 'schema "Odd Name"',
    evidence: [],
    message: 'is owned by "Per""son", not pipeline',
    hint: 'ALTER SCHEMA "Odd Name" OWNER TO pipeline;',
    danger: "exposure",
    schema: "Odd Name",
  });
});

test("reports an authenticator that inherits with statements that the server supports", () => {
  const plan = planOf(["marts"], ["private_marts"]);
  const live = plannedState(plan);
  const hints = (options: boolean) => {
    const roles = live.roles.map((role) =>
      role.name === plan.roles.authenticator ? { ...role, inherit: true } : role,
    );
    const memberships = live.memberships.map((membership) => ({ ...membership, options, inherit: true }));
    return compareGrants({ ...live, roles, memberships }, expectationOf(plan)).map(({ hint }) => hint);
  };
  const attribute = `ALTER ROLE ${plan.roles.authenticator} NOINHERIT;`;
  const { anonymous, authenticator, administrator } = plan.roles;
  expect(hints(true)).toEqual([
    `GRANT ${anonymous} TO ${authenticator} WITH INHERIT FALSE GRANTED BY ${administrator};`,
    attribute,
  ]);
  // Postgres 15
  expect(hints(false)).toEqual([attribute]);
});
