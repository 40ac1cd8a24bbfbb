/** The groups that may access an application, by its bindings; without any binding, every user may. */
import { observed } from "../../observation.ts";
import { type Cause, causeOf, redeploy } from "./cause.ts";

export const groups: Cause = ({ application, groups: planned, entry }, evidence) => {
  const records = observed(evidence.identity);
  const client = evidence.plan.clients.find(({ service }) => service === entry);
  const slug = (application ?? client?.application)?.slug;
  const own = records?.applications.find((candidate) => candidate.slug === slug);
  if (!records || !own) return undefined;
  const policies = new Map(evidence.plan.groupPolicies.map((policy) => [policy.name, policy.groups]));
  const bound = (records.bindings.get(own.pk) ?? []).flatMap((name) => policies.get(name) ?? [name]);
  const missing = planned.filter((group) => !bound.includes(group));
  const other = bound.filter((group) => !planned.includes(group));
  const absent = planned.filter((group) => !records.groups.has(group));
  if (missing.length === 0 && other.length === 0 && absent.length === 0) return undefined;
  const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ") || "none";
  const problems = [
    ...(bound.length === 0 ? ["is bound to no group, so it admits every user"] : []),
    ...(bound.length > 0 && missing.length > 0 ? [`denies users who are only in ${list(missing)}`] : []),
    ...(other.length > 0 && planned.length > 0 ? [`admits ${list(other)}, which is not planned`] : []),
    ...(planned.length === 0 ? [`admits only ${list(other)}; the plan admits every user`] : []),
    ...(absent.length > 0 ? [`admits no user for ${list(absent)}, which authentik does not have`] : []),
  ];
  const { createdGroups } = evidence.plan;
  const others = absent.filter((group) => !createdGroups.includes(group));
  const created = others.length > 0 ? `create ${list(others)} in authentik (Directory > Groups); then ` : "";
  return causeOf("groups", {
    message: problems.map((problem) => `application "${slug}" ${problem}`).join("; "),
    evidence: [`groups bound to it: ${list(bound)}; planned: ${list(planned)}`],
    hint: created + redeploy(evidence),
  });
};
