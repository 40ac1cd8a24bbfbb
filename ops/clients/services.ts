/** The Services of a cluster, and whether a backend of the plan is one of them. */
import type { Backend } from "../../config/settings.ts";
import { matchesLabels } from "../../infra/labels.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";

type Labels = Readonly<Record<string, string>>;

/** Returns the pods among objects. */
export function podsOf(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(({ kind }) => kind === "Pod");
}

/** Returns a Service by namespace and name; undefined if it does not exist. */
export function serviceNamed(
  { namespace, name }: Pick<Backend, "namespace" | "name">,
  manifests: readonly Manifest[],
): Manifest | undefined {
  return manifests.find((one) => one.kind === "Service" && one.namespace === namespace && one.objectName === name);
}

/** Returns the labels of an object. */
export function objectLabels({ props }: Manifest): Labels {
  return labelsIn(at(props, "metadata", "labels"));
}

/** Returns whether a Service sends requests to the pod. */
export function isReady({ props }: Manifest): boolean {
  return isReadyPod(props);
}

/** Returns whether a label selector selects the labels; an empty one selects all (Kubernetes docs, "Labels and Selectors"). */
export function selects(selector: Value, labels: Labels): boolean {
  const expressions = listOf(at(selector, "matchExpressions"));
  return matchesLabels(labelsIn(at(selector, "matchLabels")), labels) && expressions.every((one) => isMet(one, labels));
}

function isMet(expression: Value, labels: Labels): boolean {
  const key = textAt(expression, "key") ?? "";
  const exists = Object.hasOwn(labels, key);
  const isListed = exists && listOf(at(expression, "values")).includes(labels[key]);
  switch (textAt(expression, "operator")) {
    case "In":
      return isListed;
    case "NotIn":
      return !isListed;
    case "Exists":
      return exists;
    case "DoesNotExist":
      return !exists;
    default:
      return false;
  }
}

/** Returns the labels of a field; none if it is not a map, and without those that are not text. */
export function labelsIn(value: Value): Labels {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Returns what is wrong with the Service of a backend: it does not exist, has no such port, or no ready pod. */
export function serviceProblem(backend: Backend, manifests: readonly Manifest[]) {
  const { namespace, name, port } = backend;
  const service = `Service ${namespace}/${name}`;
  const found = serviceNamed(backend, manifests);
  if (found === undefined) {
    return { kind: "missing" as const, problem: `${service} is missing`, evidence: `${service} does not exist` };
  }
  const ports = listOf(found.spec["ports"]).map((one) => at(one, "port"));
  if (!ports.includes(port)) {
    const evidence = `its ports are ${ports.join(", ")}`;
    return { kind: "port" as const, problem: `${service} has no port ${port}`, evidence };
  }
  const selector = labelsIn(found.spec["selector"]);
  const pods = podsOf(manifests).filter(
    (pod) => pod.namespace === namespace && matchesLabels(selector, objectLabels(pod)),
  );
  if (Object.keys(selector).length === 0 || pods.some(isReady)) return undefined;
  const evidence = "0 ready pods match its selector";
  return { kind: "not-ready" as const, problem: `no pod of ${service} is ready`, evidence };
}
