import type { DataPlan, DefaultPrivilege, Grant } from "../../infra/plan/types.ts";
import { type Fields, labelOf, listOf, type Resource, textAt, UNKNOWN, type Value } from "../../manifests/resource.ts";
import type { Problem, Rule, Violation } from "../rule.ts";

const TYPE = "postgresql:index/";

/** Attributes with which a role reads rows that it has no privilege for, or becomes a role that does. */
const ATTRIBUTES = ["createRole", "bypassRowLevelSecurity"];
/** Predefined roles that read or write the rows of every schema, or files of the server (PostgreSQL docs, "Predefined Roles"). */
const READING_ROLES = new Set([
  "pg_read_all_data",
  "pg_write_all_data",
  "pg_read_server_files",
  "pg_write_server_files",
  "pg_execute_server_program",
]);
/** The same for every role: a base backup has every row. */
const EVERY_ROLE = ["superuser", "replication"];

/** Personal data: only its owner reads it (docs/opening-a-database.md, Schemas). */
export const privateSchemas: Rule = {
  name: "private-schemas-stay-closed",
  description:
    "Only the owner and the administrator have privileges on a private schema, and requests only those of the plan.",
  scope: "resource",
  check: (resources, { plan: { data } }) => (data ? resources.flatMap((resource) => violationsOf(resource, data)) : []),
};

function violationsOf(resource: Resource, data: DataPlan): Violation[] {
  const { type, props } = resource;
  const problemsOf = type.startsWith(TYPE) ? PROBLEMS[type.split(":").at(-1) ?? ""] : undefined;
  const problems = problemsOf?.(props, textAt(props, "name") ?? resource.name, data) ?? [];
  const about = { rule: privateSchemas.name, subject: labelOf(resource) };
  return problems.map((problem) => ({ ...about, ...problem }));
}

/** For each type of resource: returns what opens a private schema. @param name that of the role, schema or database */
const PROBLEMS: Readonly<Record<string, (props: Fields, name: string, data: DataPlan) => Problem[]>> = {
  GrantRole: (props, _, data) => {
    const role = textAt(props, "role");
    return role === undefined ? [] : membershipProblems(role, [props["grantRole"]], data);
  },
  Role: roleProblems,
  Schema: schemaProblems,
  Grant: (props, _, data) => grantProblems(props, data.grants, data),
  // The provider has a resource for each of both names, and reads an empty schema as none.
  DefaultPrivileg: defaultProblems,
  DefaultPrivileges: defaultProblems,
};

function roleProblems(props: Fields, name: string, data: DataPlan): Problem[] {
  if (isTrusted(name, data)) return [];
  const attributes = [...EVERY_ROLE, ...(servesRequests(name, data) ? ATTRIBUTES : [])];
  return [
    ...membershipProblems(name, listOf(props["roles"]), data),
    ...attributes
      .filter((one) => props[one] === true)
      .map((one) => ({ message: `creates ${name} with ${one}`, hint: `create the role without ${one}` })),
  ];
}

/** Returns the problems of memberships of a role that is not trusted: what an unplanned role may read, or is a member of, is unknown here. */
function membershipProblems(member: string, groups: readonly Value[], data: DataPlan): Problem[] {
  if (isTrusted(member, data)) return [];
  const privileged = groups.filter(
    (group) =>
      typeof group === "string" &&
      (isTrusted(group, data) ||
        READING_ROLES.has(group) ||
        (servesRequests(member, data) && group !== data.roles.anonymous)),
  );
  if (privileged.length === 0) return [];
  return [{ message: `makes ${member} a member of ${privileged.join(", ")}`, hint: "remove the membership" }];
}

function schemaProblems(props: Fields, name: string, { database, schemas }: DataPlan): Problem[] {
  if ((textAt(props, "database") ?? database) !== database) return [];
  const owner = textAt(props, "owner");
  const planned = schemas.find((schema) => schema.name === name)?.owner;
  if (planned === undefined) return [];
  const found: Problem[] = [];
  if (owner !== undefined && owner !== planned)
    found.push({ message: `makes ${owner} the owner of the schema ${name}`, hint: `set its owner to ${planned}` });
  if (listOf(props["policies"]).length > 0)
    found.push({ message: `gives privileges on the schema ${name} in its policies`, hint: "remove policies" });
  return found;
}

function defaultProblems(props: Fields, _: string, data: DataPlan): Problem[] {
  const isEverywhere = [undefined, ""].includes(props["schema"] as string | undefined);
  return grantProblems(props, data.defaultPrivileges, data, isEverywhere);
}

/**
 * @param plan the planned ones of the same kind
 * @param everywhere whether the privileges are those on objects of every schema
 */
function grantProblems(
  props: Fields,
  plan: readonly (Grant | DefaultPrivilege)[],
  data: DataPlan,
  everywhere = false,
): Problem[] {
  const role = textAt(props, "role");
  if (role === undefined || isTrusted(role, data)) return [];
  const privileges = listOf(props["privileges"]).filter((one) => typeof one === "string");
  const objects = textAt(props, "objectType") ?? "";
  if (privileges.length === 0) return [];
  const found = closedProblems({ props, role, privileges, objects, everywhere }, data);
  return found.length > 0 || !servesRequests(role, data)
    ? found
    : unplannedProblems({ props, role, privileges, objects }, plan, data);
}

interface Privileges {
  readonly props: Fields;
  readonly role: string;
  readonly privileges: readonly string[];
  /** Kind of the objects. */
  readonly objects: string;
}

/** Returns the privileges of a role of requests that the plan does not have. Those on another database are not the stack's. */
function unplannedProblems(
  { props, role, privileges, objects }: Privileges,
  plan: readonly (Grant | DefaultPrivilege)[],
  { database, existing, schemas }: DataPlan,
): Problem[] {
  if (["schema", "database", "objectType", "owner"].some((field) => props[field] === UNKNOWN)) return [];
  if ((textAt(props, "database") ?? database) !== database) return [];
  const schema = textAt(props, "schema");
  // Other programs of an existing database can rely on what PUBLIC has elsewhere.
  const isElsewhere = existing && schemas.every(({ name }) => name !== schema);
  if (isElsewhere && role.toLowerCase() === "public") return [];
  const isSame = (one: Grant | DefaultPrivilege): boolean =>
    one.role === role.toLowerCase() &&
    one.kind === objects &&
    one.schema === schema &&
    (!("owner" in one) || one.owner === textAt(props, "owner"));
  const planned = plan.filter(isSame).flatMap((one) => one.privileges);
  const others = privileges.filter((privilege) => !planned.includes(privilege.toUpperCase()));
  const where = schema === undefined ? database : `the schema ${schema}`;
  const hint = "remove the grant";
  return [
    ...(others.length === 0
      ? []
      : [{ message: `gives ${role} ${others.join(", ")} on ${objects} of ${where}, beyond the plan`, hint }]),
    ...(props["withGrantOption"] === true
      ? [{ message: `lets ${role} grant privileges on ${objects} of ${where}`, hint: "remove withGrantOption" }]
      : []),
  ];
}

function closedProblems(
  { props, role, privileges, objects, everywhere }: Privileges & { readonly everywhere: boolean },
  data: DataPlan,
): Problem[] {
  if (objects === "database") return [];
  const schema = textAt(props, "schema");
  // The owners of views read hidden schemas.
  const closed = servesRequests(role, data) ? ["private", "hidden"] : ["private"];
  const access = data.schemas.find((one) => one.name === schema)?.access ?? "";
  if (!closed.includes(access) && !everywhere) return [];
  const where = everywhere ? "every schema, the private ones too" : `the ${access} schema ${schema ?? ""}`;
  const hint = "publish what may be seen as a view in an exposed schema, and remove the grant";
  return [{ message: `gives ${role} ${privileges.join(", ")} on each ${objects} of ${where}`, hint }];
}

/** Returns whether a role may read private schemas. */
function isTrusted(role: string, { roles }: DataPlan): boolean {
  return role === roles.owner || role === roles.administrator;
}

/** Returns whether requests to the data API run with the privileges of a role. */
function servesRequests(role: string, { roles }: DataPlan): boolean {
  return [roles.anonymous, roles.authenticator].includes(role) || role.toLowerCase() === "public";
}
