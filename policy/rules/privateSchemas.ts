import type { DataPlan } from "../../infra/plan/types.ts";
import { type Finding, labelOf, listOf, type Resource, textAt, type Value } from "../../manifests/resource.ts";
import type { Rule } from "../rule.ts";

const TYPE = "postgresql:index/";

/** Attributes with which a role reads rows that it has no privilege for, or becomes a role that does. */
const ATTRIBUTES = ["createRole", "bypassRowLevelSecurity", "replication"];

/** Personal data: only its owner reads it (spec 001, "Schemas"). */
export const privateSchemas: Rule = {
  name: "private-schemas-stay-closed",
  description: "Only the owner and the administrator have privileges on a private schema.",
  scope: "resource",
  check: (resources, { plan: { data } }) => (data ? resources.flatMap((resource) => opened(resource, data)) : []),
};

function opened(resource: Resource, { database, roles, schemas }: DataPlan): Finding[] {
  const { type, props } = resource;
  const kind = type.startsWith(TYPE) ? type.split(":").at(-1) : undefined;
  const insiders = [roles.owner, roles.administrator];
  const isClient = (role: string) =>
    [roles.anonymous, roles.authenticator].includes(role) || role.toLowerCase() === "public";
  const role = textAt(props, "role");
  const name = textAt(props, "name") ?? resource.name;
  const found = (problem: string, hint: string) => [
    { rule: privateSchemas.name, object: labelOf(resource), problem, hint },
  ];
  const joined = (member: string, groups: readonly Value[]): Finding[] => {
    // What an unplanned role may read, or is a member of, is unknown here.
    const opening = groups.filter(
      (group) =>
        typeof group === "string" && (insiders.includes(group) || (isClient(member) && group !== roles.anonymous)),
    );
    if (insiders.includes(member) || opening.length === 0) return [];
    return found(`makes ${member} a member of ${opening.join(", ")}`, "remove the membership");
  };
  if (kind === "GrantRole") return role === undefined ? [] : joined(role, [props["grantRole"]]);
  if (kind === "Role") {
    if (insiders.includes(name)) return [];
    const attributes = ["superuser", ...(isClient(name) ? ATTRIBUTES : [])].filter((one) => props[one] === true);
    return [
      ...joined(name, listOf(props["roles"])),
      ...attributes.flatMap((one) => found(`creates ${name} with ${one}`, `create the role without ${one}`)),
    ];
  }
  if (kind === "Schema") {
    if ((textAt(props, "database") ?? database) !== database) return [];
    const owner = textAt(props, "owner");
    const planned = schemas.find((schema) => schema.name === name)?.owner;
    if (owner === undefined || planned === undefined || owner === planned) return [];
    return found(`makes ${owner} the owner of the schema ${name}`, `set its owner to ${planned}`);
  }
  if ((kind !== "Grant" && kind !== "DefaultPrivileges") || role === undefined || insiders.includes(role)) return [];
  const privileges = listOf(props["privileges"]).filter((one) => typeof one === "string");
  const objects = textAt(props, "objectType") ?? "";
  if (privileges.length === 0 || objects === "database") return [];
  const schema = textAt(props, "schema");
  // The owners of views read hidden schemas.
  const closed = isClient(role) ? ["private", "hidden"] : ["private"];
  const access = schemas.find((one) => one.name === schema)?.access ?? "";
  const everywhere = kind === "DefaultPrivileges" && !("schema" in props);
  if (!closed.includes(access) && !everywhere) return [];
  const where = everywhere ? "every schema, the private ones too" : `the ${access} schema ${schema ?? ""}`;
  return found(
    `gives ${role} ${privileges.join(", ")} on each ${objects} of ${where}`,
    "publish what may be seen as a view in an exposed schema, and remove the grant",
  );
}
