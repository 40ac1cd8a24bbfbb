import { expect, test } from "vitest";
import { parseStack, type RawStack } from "../../config/load.ts";
import { accessOf } from "../../infra/access/access.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { changedNames, deployedNames, droppedDatabases } from "../../ops/engine/databaseNames.ts";
import type { Operation, Step } from "../../ops/engine/step.ts";
import { oauth2, proxy, sections, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

function target(raw: RawStack) {
  const settings = parseStack(raw, {}, { secretsRequired: false });
  return { settings, plan: computePlan(settings) };
}

/** Returns the state of a deployed stack. */
function deployed(raw: RawStack) {
  const { settings, plan } = target(raw);
  return { databaseNames: deployedNames(settings), access: accessOf(plan) };
}

const SERVICES = { protected_services: [proxy({}), oauth2({})] };
const BEFORE = stack(SERVICES);

test("maps the name of each resource to its role or database of Postgres", { timeout: PATIENCE }, async () => {
  const recorder = await deploy(BEFORE);
  const created = [...recorder.of("postgresql:index/role:Role"), ...recorder.of("postgresql:index/database:Database")];
  expect(created.map(({ name, inputs }) => [name, inputs["name"]]).sort()).toEqual(
    [...deployedNames(target(BEFORE).settings)].sort(),
  );
});

const data = (fields: object) => ({ data_api: { ...sections.data_api, ...fields } });
const database = (fields: object) => {
  return { identity_provider: { ...sections.identity_provider, database: { password: "${DB}", ...fields } } };
};

test.each([
  ["data_api.roles.anonymous", data({ roles: { anonymous: "web" } }), "gatehouse_anonymous"],
  ["data_api.roles.authenticator", data({ roles: { authenticator: "web" } }), "gatehouse_authenticator"],
  ["data_api.roles.owner", data({ roles: { owner: "web" } }), "gatehouse_owner"],
  ["data_api.database", data({ database: "web" }), "gatehouse"],
  ["identity_provider.database.user", database({ user: "web" }), "authentik"],
  ["identity_provider.database.name", database({ name: "web" }), "authentik"],
])("refuses another name: %s", (path, changes, old) => {
  expect(changedNames(target(stack({ ...SERVICES, ...changes })), deployed(BEFORE))).toEqual([
    `${path}: is "web", and the stack is deployed with "${old}". Keep "${old}" (docs/deploy.md, Names).`,
  ]);
});

test("accepts another database that exists, and a stack without the data API", () => {
  const existing = { ...sections.data_api, database: { name: "shop", existing: true } };
  expect(changedNames(target(stack({ data_api: existing })), deployed(BEFORE))).toEqual([]);
  expect(changedNames(target(stack({ data_api: undefined })), deployed(BEFORE))).toEqual([]);
});

test("refuses another slug of an oauth2 service, whose client id is taken, and accepts one of a proxy service and another name", () => {
  const changed = (...services: unknown[]) =>
    changedNames(target(stack({ protected_services: services })), deployed(BEFORE));
  expect(changed(proxy({ application_slug: "docs" }), oauth2({ application_slug: "charts" }))).toEqual([
    'protected_services[1].application_slug: is "charts", and the client of "grafana" is deployed with "grafana". ' +
      'Keep "grafana"; or remove the entry, deploy, and add it again.',
  ]);
  expect(changed(proxy({ name: "docs" }), oauth2({ name: "charts" }, { client_id: "grafana" }))).toEqual([]);
  expect(changed(oauth2({ name: "charts", application_slug: "charts" }, { client_id: "grafana" }))).toEqual([
    'protected_services[0].application_slug: is "charts", and the client of "grafana" is deployed with "grafana". ' +
      'Keep "grafana"; or remove the entry, deploy, and add it again.',
  ]);
});

test("accepts every name in the first deployment", () => {
  expect(changedNames(target(BEFORE), { databaseNames: new Map(), access: undefined })).toEqual([]);
});

test("names what is dropped with its data: databases, and an installed server", () => {
  const step = (operation: Operation, type: string, name: string): Step => {
    return { operation, type, name, urn: name, paths: [] };
  };
  const known = { databaseNames: new Map([["data-database-database", "gatehouse"]]) };
  const others = [step("update", "Database", "data-database-database"), step("replace", "Deployment", "server")];
  expect(droppedDatabases(others, known)).toEqual([]);
  const database = step("delete", "Database", "data-database-database");
  expect(droppedDatabases([...others, database], known)).toEqual(['the database "gatehouse"']);
  for (const [type, name] of [
    ["PersistentVolumeClaim", "postgres-data"],
    ["Cluster", "postgres-server"],
  ] as const) {
    expect(droppedDatabases([step("replace", type, name), database], known)).toEqual([
      'the database "gatehouse"',
      "every database of the Postgres server that the stack installs,",
    ]);
    expect(droppedDatabases([step("update", type, name), step("delete", type, "cache")], known)).toEqual([]);
  }
});
