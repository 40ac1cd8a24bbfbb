import type { DataPlan } from "../../infra/plan/types.ts";
import { type Fields, labelOf, listOf, type Resource, textAt, type Value } from "../../manifests/resource.ts";
import type { Problem, Rule, Violation } from "../rule.ts";

const TYPE = "postgresql:index/";

/** Attributes with which a role reads rows that it has no privilege for, or becomes a role that does. */
const ATTRIBUTES = ["createRole", "bypassRowLevelSecurity", "replication"];

/** Personal data: only its owner reads it (docs/opening-a-database.md, Schemas). */
export const privateSchemas: Rule = {
  name: "private-schemas-stay-closed",
  description: "Only the owner and the administrator have privileges on a private schema.",
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
  Schema: ownerProblems,
  Grant: (props, _, data) => grantProblems(props, false, data),
  DefaultPrivileges: (props, _, data) => grantProblems(props, !("schema" in props), data),
};

function roleProblems(props: Fields, name: string, data: DataPlan): Problem[] {
  if (isTrusted(name, data)) return [];
  const attributes = ["superuser", ...(servesRequests(name, data) ? ATTRIBUTES : [])];
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
      (isTrusted(group, data) || (servesRequests(member, data) && group !== data.roles.anonymous)),
  );
  if (privileged.length === 0) return [];
  return [{ message: `makes ${member} a member of ${privileged.join(", ")}`, hint: "remove the membership" }];
}

function ownerProblems(props: Fields, name: string, { database, schemas }: DataPlan): Problem[] {
  if ((textAt(props, "database") ?? database) !== database) return [];
  const owner = textAt(props, "owner");
  const planned = schemas.find((schema) => schema.name === name)?.owner;
  if (owner === undefined || planned === undefined || owner === planned) return [];
  return [{ message: `makes ${owner} the owner of the schema ${name}`, hint: `set its owner to ${planned}` }];
}

/** @param everywhere whether the privileges are those on objects of every schema */
function grantProblems(props: Fields, everywhere: boolean, data: DataPlan): Problem[] {
  const role = textAt(props, "role");
  if (role === undefined || isTrusted(role, data)) return [];
  const privileges = listOf(props["privileges"]).filter((one) => typeof one === "string");
  const objects = textAt(props, "objectType") ?? "";
  if (privileges.length === 0 || objects === "database") return [];
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
