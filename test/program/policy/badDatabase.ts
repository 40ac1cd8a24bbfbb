/** Programs that open the database of the data API. */
import { added, type Bad, type Program } from "./program.ts";

const ANONYMOUS = "gatehouse_anonymous";

/** Adds a resource of the provider `postgresql`. */
export const add =
  (type: string, props: object): Bad[1] =>
  (good) =>
    added(good, `postgresql:index/${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`, { ...props });
const bad = (title: string, type: string, props: object): Bad => [
  title,
  add(type, props),
  [`private-schemas-stay-closed: ${type} added`],
];
const select = { database: "gatehouse", objectType: "table", privileges: ["SELECT"] };

/** The program with a schema that views read, and a grant on it. */
export const withHidden =
  (role: string): Bad[1] =>
  ({ resources, facts }) => {
    const { data } = facts.plan;
    if (data === undefined) throw new Error("the stack has no data API");
    const schemas = [...data.schemas, { name: "source", owner: data.roles.owner, access: "hidden" as const }];
    const program: Program = { resources, facts: { ...facts, plan: { ...facts.plan, data: { ...data, schemas } } } };
    return add("Grant", { ...select, role, schema: "source" })(program);
  };

export const BAD_DATABASE: readonly Bad[] = [
  bad("a grant on a private schema", "Grant", { ...select, role: ANONYMOUS, schema: "private_marts" }),
  bad("a grant to every role", "Grant", { ...select, role: "public", schema: "private_raw" }),
  ...[ANONYMOUS, "gatehouse_authenticator", "public", "PUBLIC"].map((role): Bad => [
    `a grant to ${role} on a hidden schema`,
    withHidden(role),
    ["private-schemas-stay-closed: Grant added"],
  ]),
  bad("default privileges in every schema", "DefaultPrivileges", {
    ...select,
    owner: "gatehouse_owner",
    role: "analyst",
  }),
  ...["DefaultPrivileges", "DefaultPrivileg"].map((type) =>
    bad(`${type} in every schema, which an empty schema is`, type, {
      ...select,
      owner: "gatehouse_owner",
      role: "analyst",
      schema: "",
    }),
  ),
  bad("more than the plan for requests", "Grant", {
    ...select,
    privileges: ["SELECT", "INSERT"],
    role: ANONYMOUS,
    schema: "api_v1",
  }),
  bad("default privileges of another owner for requests", "DefaultPrivileges", {
    ...select,
    owner: "analyst",
    role: ANONYMOUS,
    schema: "api_v1",
  }),
  bad("a planned grant that can be passed on", "Grant", {
    ...select,
    role: ANONYMOUS,
    schema: "api_v1",
    withGrantOption: true,
  }),
  bad("the catalog for requests", "Grant", { ...select, role: ANONYMOUS, schema: "catalog" }),
  bad("the database for every role", "Grant", {
    database: "gatehouse",
    objectType: "database",
    privileges: ["CONNECT"],
    role: "public",
  }),
  bad("policies of a schema", "Schema", { name: "private_marts", policies: [{ role: ANONYMOUS, usage: true }] }),
  bad("another role that reads everything", "GrantRole", { role: "analyst", grantRole: "pg_read_all_data" }),
  bad("a role that copies every row", "Role", { name: "analyst", replication: true }),
  bad("a member of the owner", "GrantRole", { role: ANONYMOUS, grantRole: "gatehouse_owner" }),
  bad("a member of a predefined role", "GrantRole", { role: ANONYMOUS, grantRole: "pg_read_all_data" }),
  bad("a role with a predefined role", "Role", { name: "gatehouse_authenticator", roles: ["pg_read_all_data"] }),
  bad("a member of a role that is not planned", "GrantRole", { role: ANONYMOUS, grantRole: "reporting" }),
  bad("a superuser", "Role", { name: "analyst", superuser: true }),
  ...["createRole", "bypassRowLevelSecurity", "replication"].map((attribute) =>
    bad(`an anonymous role with ${attribute}`, "Role", { name: ANONYMOUS, [attribute]: true }),
  ),
  bad("the anonymous role as the owner of a private schema", "Schema", { name: "private_raw", owner: ANONYMOUS }),
  bad("pipelines as the owner of Gatehouse's functions", "Schema", { name: "gatehouse", owner: "gatehouse_owner" }),
];
