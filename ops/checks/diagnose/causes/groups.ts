/** The users that the bindings of an application admit; without any binding, every user. */
import { combinationOf } from "../../../../infra/plan/groupPolicies.ts";
import { argument } from "../../../text.ts";
import { restoreBindings } from "../../bindings.ts";
import { observed } from "../../observation.ts";
import type { ObservedBinding } from "../evidence/identity.ts";
import { type Cause, causeOf, redeploy } from "./cause.ts";

export const groups: Cause = ({ application, groups: planned, entry }, evidence) => {
  const { plan, given } = evidence;
  const records = observed(evidence.identity);
  const client = plan.clients.find(({ service }) => service === entry);
  const slug = (application ?? client?.application)?.slug;
  const own = records?.applications.find((candidate) => candidate.slug === slug);
  if (!records || slug === undefined || !own) return undefined;
  const policies = new Map(plan.groupPolicies.map((policy) => [policy.name, policy.groups]));
  const bindings = (records.bindings.get(own.pk) ?? []).map((binding) => admission(binding, policies));
  const isAll = own.policy_engine_mode === "all" && bindings.length > 1;
  const absent = planned.filter((group) => !records.groups.has(group));
  const problems = [
    ...differences(planned, bindings, isAll),
    ...(absent.length > 0 ? [`admits no user for ${list(absent.map(quoted))}, which authentik does not have`] : []),
  ];
  if (problems.length === 0) return undefined;
  const texts = bindings.map(({ negate, labels }) => `${negate ? "not " : ""}${list(labels)}`);
  const others = absent.filter((group) => !plan.createdGroups.includes(group));
  const created =
    others.length > 0 ? `create ${list(others.map(quoted))} in authentik (Directory > Groups); then ` : "";
  const isPlanned = ({ kind, name }: Admission): boolean =>
    kind === "policy" && policies.get(name)?.join() === combinationOf(planned).join();
  const hasOthers = bindings.length > 1 || !bindings.every(isPlanned);
  const restore =
    planned.length === 0
      ? `in authentik, delete every binding of application "${slug}"`
      : restoreBindings(slug, `npx gatehouse deploy ${argument(given)} --refresh`);
  return causeOf("groups", {
    message: problems.map((problem) => `application "${slug}" ${problem}`).join("; "),
    evidence: [
      `bound to: ${list(texts)}; planned: ${list(planned.map(quoted))}`,
      ...(isAll ? ['its policy_engine_mode is "all", planned: "any"'] : []),
    ],
    hint: created + (hasOthers ? restore : redeploy(evidence)),
  });
};

interface Admission extends ObservedBinding {
  /** The groups whose members it is about; none for a user, and for a policy that is not of the plan. */
  readonly groups: readonly string[];
  readonly labels: readonly string[];
}

function admission(binding: ObservedBinding, policies: ReadonlyMap<string, readonly string[]>): Admission {
  const { kind, name } = binding;
  const groups = kind === "policy" ? (policies.get(name) ?? []) : kind === "group" ? [name] : [];
  const other = kind === "policy" ? `users of policy "${name}"` : `user "${name}"`;
  return { ...binding, groups, labels: groups.length > 0 ? groups.map(quoted) : [other] };
}

/** Returns how the users that bindings admit differ from the plan. @param isAll whether a user has to pass every one of several bindings */
function differences(planned: readonly string[], bindings: readonly Admission[], isAll: boolean): string[] {
  if (bindings.length === 0) return planned.length > 0 ? ["is bound to no group, so it admits every user"] : [];
  const admits = (group: string) => (one: Admission) => one.groups.includes(group) !== one.negate;
  const missing = planned.filter((group) => (isAll ? !bindings.every(admits(group)) : !bindings.some(admits(group))));
  const denied = missing.length > 0 ? [`denies users who are only in ${list(missing.map(quoted))}`] : [];
  if (isAll) return [...denied, "admits a user only if all of its bindings do"];
  const known = planned.map(quoted);
  const negated = bindings.filter(({ negate }) => negate);
  const other = bindings
    .filter(({ negate }) => !negate)
    .flatMap(({ labels }) => labels.filter((label) => !known.includes(label)));
  const isOpen = planned.length === 0;
  return [
    ...denied,
    ...(other.length > 0 && !isOpen ? [`admits ${list(other)}, which is not planned`] : []),
    ...(other.length > 0 && isOpen && negated.length === 0
      ? [`admits only ${list(other)}; the plan admits every user`]
      : []),
    ...negated.map(({ labels }) => `admits every user except ${list(labels)}, by a negated binding`),
  ];
}

function quoted(name: string): string {
  return `"${name}"`;
}

function list(labels: readonly string[]): string {
  return labels.join(", ") || "none";
}
