import type { Change, ChangeKind, Values } from "../protocol/plugin.ts";
import { diffValues, textOf, valueAt } from "../protocol/values.ts";

export const AUTONAMED = "pulumi.com/autonamed";

/**
 * The fields that cannot change in place, for the kinds that Gatehouse makes, as the real provider lists them:
 * https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/diff.go
 */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  "v1 ConfigMap": ["data", "binaryData"],
  "v1 Secret": ["data", "stringData", "type"],
  "v1 Service": ["spec.clusterIP"],
  "apps/v1 Deployment": ["spec.selector"],
  "apps/v1 StatefulSet": [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
  "batch/v1 Job": ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
  "rbac.authorization.k8s.io/v1 ClusterRoleBinding": ["roleRef"],
  "rbac.authorization.k8s.io/v1 RoleBinding": ["roleRef"],
};

/** What a new set of inputs changes. `mutable` names the kinds whose data may change in place ("Secret", "ConfigMap"). */
export function compare(olds: Values, news: Values, mutable: readonly string[]): Change {
  const differences = diffValues(olds, news);
  const kind = textOf(news, "kind") ?? "";
  const own =
    mutable.includes(kind) && olds.immutable !== true ? ["type"] : FIXED[`${textOf(news, "apiVersion")} ${kind}`];
  const fixed = ["kind", "metadata.name", "metadata.namespace", ...(own ?? [])];
  const replaces = Object.keys(differences).filter((path) => fixed.some((field) => isWithin(path, field)));
  const detailed = Object.entries(differences).map(([path, change]): [string, ChangeKind] => [
    path,
    replaces.includes(path) ? `${change}-replace` : change,
  ]);
  return {
    changes: detailed.length > 0,
    replaces,
    detailed: Object.fromEntries(detailed),
    deleteBeforeReplace: replaces.length > 0 && keepsName(olds, news),
  };
}

/** A branch that is wholly new or gone is told by its root, above the field. */
function isWithin(path: string, field: string): boolean {
  return [path, field].some((outer, index) => {
    const inner = index === 0 ? field : path;
    return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  });
}

/** The new object cannot stand beside the old one; an automatic name is drawn anew for a replacement. */
function keepsName(olds: Values, news: Values): boolean {
  if (valueAt(news, "metadata", "annotations", AUTONAMED) === "true") return false;
  const same = (field: string): boolean => valueAt(olds, "metadata", field) === valueAt(news, "metadata", field);
  return same("name") && same("namespace");
}
