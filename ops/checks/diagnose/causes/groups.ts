/** Who may enter an application, by its bindings; without any, everyone who can sign in may. */
import { seen } from "../observation.ts";
import { type Cause, redeploy } from "./finding.ts";

export const groups: Cause = ({ application, groups: planned, entry }, evidence) => {
  const records = seen(evidence.identity);
  const client = evidence.plan.clients.find(({ service }) => service === entry);
  const slug = (application ?? client?.application)?.slug;
  const own = records?.applications.find((candidate) => candidate.slug === slug);
  if (!records || !own) return undefined;
  const bound = records.bindings.get(own.id) ?? [];
  const missing = planned.filter((group) => !bound.includes(group));
  const other = bound.filter((group) => !planned.includes(group));
  if (missing.length === 0 && other.length === 0) return undefined;
  const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
  const problems = [
    ...(bound.length === 0 ? [`application "${slug}" is bound to no group, so it admits every user`] : []),
    ...(bound.length > 0 && missing.length > 0
      ? [`application "${slug}" denies users who are only in ${list(missing)}`]
      : []),
    ...(other.length > 0 && planned.length > 0
      ? [`application "${slug}" admits ${list(other)}, which is not planned`]
      : []),
    ...(planned.length === 0 ? [`application "${slug}" admits only ${list(other)}; the plan admits every user`] : []),
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
