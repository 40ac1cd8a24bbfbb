/** The pods that a resource makes, wherever it keeps their description. */
import { at, fieldsOf, type Fields, listOf, type Manifest, UNKNOWN } from "../manifests/resource.ts";

export interface Pod {
  readonly label: string;
  readonly spec: Fields;
  /** Of every kind: those that start first, and those that run. */
  readonly containers: readonly Fields[];
}

const POD_PATHS = [[], ["template", "spec"], ["jobTemplate", "spec", "template", "spec"]];

/** Returns the pod of a workload; none for other kinds, and none while a preview does not know it. */
export function podsOf(manifest: Manifest): Pod[] {
  return POD_PATHS.flatMap((path) => {
    const spec = at(manifest.spec, ...path);
    if (spec === UNKNOWN || !Array.isArray(at(spec, "containers"))) return [];
    const containers = ["initContainers", "containers"].flatMap((key) => listOf(at(spec, key)).map(fieldsOf));
    return [{ label: manifest.label, spec: fieldsOf(spec), containers }];
  });
}
