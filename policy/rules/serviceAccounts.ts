import { podsOf } from "../pods.ts";
import { at, listOf, type Manifest, manifestsOf, textAt } from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";

/** Users and groups that are, or contain, a default account, and users without credentials (kubernetes.io, Authentication, Anonymous requests and Service account tokens). */
const DEFAULT_ACCOUNTS = /^system:(serviceaccounts(:.*)?|serviceaccount:[^:]+:default|(un)?authenticated|anonymous)$/;

/** Every pod that names no service account has the permissions of the default one. */
export const serviceAccounts: Rule = {
  name: "no-default-service-account",
  description: "No pod uses the default service account of its namespace, and that account has no permissions.",
  scope: "resource",
  check: (resources) => manifestsOf(resources).flatMap((manifest) => [...actsAsDefault(manifest), ...bound(manifest)]),
};

/** Reports pods with the token of the default account; without a token, a pod has no identity. */
function actsAsDefault(manifest: Manifest): Violation[] {
  return podsOf(manifest).flatMap(({ label, spec, isPart }) => {
    // The API server replaces an empty name, too.
    const account = textAt(spec, "serviceAccountName") || "default";
    const token = at(spec, "automountServiceAccountToken");
    const isAbsent = isPart && token === undefined && at(spec, "serviceAccountName") === undefined;
    if (account !== "default" || token === false || typeof token === "symbol" || isAbsent) return [];
    return [
      {
        rule: serviceAccounts.name,
        subject: label,
        message: "its pods have the token of the namespace's default service account",
        hint: "set automountServiceAccountToken: false, or set serviceAccountName",
      },
    ];
  });
}

function bound({ kind, props, label }: Manifest): Violation[] {
  if (kind !== "RoleBinding" && kind !== "ClusterRoleBinding") return [];
  const all = listOf(props["subjects"]).filter(
    (subject) =>
      (textAt(subject, "kind") === "ServiceAccount" && textAt(subject, "name") === "default") ||
      DEFAULT_ACCOUNTS.test(textAt(subject, "name") ?? ""),
  );
  if (all.length === 0) return [];
  const names = all.map((subject) => textAt(subject, "name") ?? "");
  const message = `grants permissions to ${[...new Set(names)].join(", ")}`;
  return [
    {
      rule: serviceAccounts.name,
      subject: label,
      message,
      hint: "bind them to a service account of the workload",
    },
  ];
}
