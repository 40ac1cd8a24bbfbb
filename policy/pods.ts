/** The pod specs of a workload. */
import { at, fieldsOf, type Fields, listOf, type Manifest, UNKNOWN } from "../manifests/resource.ts";

export interface Pod {
  readonly label: string;
  readonly spec: Fields;
  /** Of every kind: those that start first, and those that run. */
  readonly containers: readonly Fields[];
  /** Whether this is a part of a pod, which a patch changes: fields that it lacks are in the object. */
  readonly isPart: boolean;
}

const POD_PATHS = [[], ["template", "spec"], ["jobTemplate", "spec", "template", "spec"]];
/** Kinds whose patches contain parts of a pod. Other kinds can have fields of the same names. */
const WORKLOADS: readonly (readonly string[])[] = [
  ["Pod"],
  ["DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"],
  ["CronJob"],
];

/** Returns the pod of a workload; none for other kinds, and none while a preview does not know it. */
export function podsOf(manifest: Manifest): Pod[] {
  const isPart = manifest.type.endsWith("Patch");
  return POD_PATHS.flatMap((path, index) => {
    const spec = at(manifest.spec, ...path);
    const isPatched = isPart && spec !== undefined && WORKLOADS[index]?.includes(manifest.kind) === true;
    if (spec === UNKNOWN || !(isPatched || Array.isArray(at(spec, "containers")))) return [];
    const containers = ["initContainers", "containers"].flatMap((key) => listOf(at(spec, key)).map(fieldsOf));
    return [{ label: manifest.label, spec: fieldsOf(spec), containers, isPart }];
  });
}
