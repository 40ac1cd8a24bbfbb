import type { DataPlan } from "../../infra/plan/types.ts";
import { type Finding, labelOf, listOf, type Resource, textAt } from "../resource.ts";
import type { Rule } from "../rule.ts";

const TYPE = "postgresql:index/";

/** Personal data: only its owner reads it (spec 001, "Schemas"). */
export const privateSchemas: Rule = {
  name: "private-schemas-stay-closed",
  description: "Only the owner and the administrator have privileges on a private schema.",
  scope: "resource",
  check: (resources, { plan: { data } }) => (data ? resources.flatMap((resource) => opened(resource, data)) : []),
};

function opened(resource: Resource, data: DataPlan): Finding[] {
  const { type, props } = resource;
  const kind = type.startsWith(TYPE) ? type.split(":").at(-1) : undefined;
  const insiders = [data.roles.owner, data.roles.administrator];
  const role = textAt(props, "role");
  const found = (problem: string, hint: string) => [
    { rule: privateSchemas.name, object: labelOf(resource), problem, hint },
  ];
  if (kind === "GrantRole") {
    const member = textAt(props, "grantRole");
    if (role === undefined || member === undefined || insiders.includes(role) || !insiders.includes(member)) return [];
    return found(`makes ${role} a member of ${member}, who reads private schemas`, "remove the membership");
  }
  if (kind === "Role") {
    const name = textAt(props, "name") ?? resource.name;
    const memberships = listOf(props["roles"]).filter((one) => typeof one === "string" && insiders.includes(one));
    if (insiders.includes(name)) return [];
    if (memberships.length > 0)
      return found(`makes ${name} a member of ${memberships.join(", ")}`, "remove the membership");
    return props["superuser"] === true ? found(`makes ${name} a superuser`, "create the role without superuser") : [];
  }
  if ((kind !== "Grant" && kind !== "DefaultPrivileges") || role === undefined || insiders.includes(role)) return [];
  const privileges = listOf(props["privileges"]).filter((one) => typeof one === "string");
  const objects = textAt(props, "objectType") ?? "";
  if (privileges.length === 0 || objects === "database") return [];
  const schema = textAt(props, "schema");
  const closed = data.schemas.some(({ name, access }) => name === schema && access === "private");
  const everywhere = kind === "DefaultPrivileges" && !("schema" in props);
  if (!closed && !everywhere) return [];
  const where = everywhere ? "every schema, the private ones too" : `the private schema ${schema ?? ""}`;
  return found(
    `gives ${role} ${privileges.join(", ")} on each ${objects} of ${where}`,
    "publish what may be seen as a view in an exposed schema, and remove the grant",
  );
}
