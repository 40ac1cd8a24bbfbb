/** Who may enter an application, by its bindings; without any, everyone who can sign in may. */
import { seen } from "../observation.ts";
import { type Cause, redeploy } from "./finding.ts";

export const groups: Cause = ({ application, groups: planned, entry, protection }, evidence) => {
  const records = seen(evidence.identity);
  const client = protection === "oauth2" ? evidence.plan.clients.find(({ service }) => service === entry) : undefined;
  const slug = (application ?? client?.application)?.slug;
  const own = records?.applications.find((candidate) => candidate.slug === slug);
  if (!records || !own) return undefined;
  const bound = records.bindings.get(own.id) ?? [];
  const missing = planned.filter((group) => !bound.includes(group));
  const other = bound.filter((group) => !planned.includes(group));
  if (missing.length === 0 && other.length === 0) return undefined;
  const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
  const problems = [
    ...(bound.length === 0
      ? [`application "${slug}" is bound to no group, so everyone who can sign in may enter`]
      : []),
    ...(bound.length > 0 && missing.length > 0
      ? [`who is only in ${list(missing)} is denied application "${slug}"`]
      : []),
    ...(other.length > 0 && planned.length > 0
      ? [`${list(other)} may enter application "${slug}" beside the plan`]
      : []),
    ...(planned.length === 0
      ? [`only ${list(other)} may enter application "${slug}", and the plan lets everyone in`]
      : []),
  ];
  const is = bound.length === 0 ? "none" : list(bound);
  const wanted = planned.length === 0 ? "none" : list(planned);
  return {
    cause: "groups",
    problem: problems.join("; "),
    evidence: [`groups bound to it: ${is}; planned: ${wanted}`],
    hint: redeploy(evidence),
  };
};
