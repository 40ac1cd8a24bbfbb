import type { Change, ChangeKind, Values } from "../protocol/plugin.ts";
import { diffValues, textOf, valueAt } from "../protocol/values.ts";
import { AUTONAMED, annotation } from "./objects.ts";

/**
 * The fields that cannot change in place, for the kinds that Gatehouse creates, as the real provider lists them:
 * https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/diff.go
 */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  "v1 ConfigMap": ["data", "binaryData"],
  "v1 Secret": ["data", "stringData", "type"],
  "v1 Service": ["spec.clusterIP"],
  "v1 PersistentVolumeClaim": ["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
  "apps/v1 Deployment": ["spec.selector"],
  "apps/v1 StatefulSet": [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
  "batch/v1 Job": ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
};

/** Compares inputs. For a patch, only name and namespace of its object are fixed; an `unready` object is always replaced. */
export function compare(olds: Values, news: Values, { isPatch = false, unready = false } = {}): Change {
  const differences = diffValues(olds, news);
  const own = isPatch ? [] : (FIXED[`${textOf(news, "apiVersion")} ${textOf(news, "kind")}`] ?? []);
  const fixed = ["metadata.name", "metadata.namespace", ...own];
  const detailed = Object.entries(differences).map(([path, change]): [string, ChangeKind] => [
    path,
    fixed.some((field) => isWithin(path, field) || isWithin(field, path)) ? `${change}-replace` : change,
  ]);
  const replaces = detailed.filter(([, change]) => change.endsWith("-replace")).map(([path]) => path);
  if (unready) replaces.push('.metadata.annotations["pulumi.com/replaceUnready"]');
  return {
    changes: detailed.length > 0 || unready,
    replaces,
    detailed: Object.fromEntries(detailed),
    deleteBeforeReplace: replaces.length > 0 && keepsName(olds, news),
  };
}

/** An added or removed branch is reported by its root, above the field. */
function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns whether old and new object have the same name, and so cannot exist together. A replacement gets a new automatic name. */
function keepsName(olds: Values, news: Values): boolean {
  if (annotation(news, AUTONAMED) === "true") return false;
  const same = (field: string): boolean => valueAt(olds, "metadata", field) === valueAt(news, "metadata", field);
  return same("name") && same("namespace");
}
