/** Resources as the rules read them: plain data, from the engine, from mocks, or from a cluster. */

/** A value that a preview does not know yet; no rule compares it. */
export const UNKNOWN = Symbol("unknown");

/** A part of a resource: JSON in which any value can be {@link UNKNOWN}. */
export type Value = unknown;
export type Fields = Readonly<Record<string, Value>>;

export interface Resource {
  /** The engine's type, e.g. `kubernetes:apps/v1:Deployment`. */
  readonly type: string;
  /** The engine's name, or that of the object in the cluster. */
  readonly name: string;
  readonly props: Fields;
}

/** Returns the fields of a section; none for anything else. */
export function fieldsOf(value: Value): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Returns the items of a list; none for anything else. */
export function listOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value below some keys; undefined when any of them is missing. */
export function at(value: Value, ...keys: readonly string[]): Value {
  return keys.reduce((inside, key) => (inside === UNKNOWN ? UNKNOWN : fieldsOf(inside)[key]), value);
}

/** Returns the text below some keys; undefined for anything else, also for what is unknown. */
export function textAt(value: Value, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === "string" ? found : undefined;
}

/** A Kubernetes object, and how messages name it. */
export interface Manifest extends Resource {
  /** e.g. `IngressRoute`; of a patch, what it patches. */
  readonly kind: string;
  readonly namespace: string;
  /** Of the object, undefined if the cluster generates it. */
  readonly objectName: string | undefined;
  readonly label: string;
  readonly spec: Fields;
}

/** Returns the Kubernetes object of a resource; undefined for other providers' resources. */
export function manifestOf(resource: Resource): Manifest | undefined {
  const [, kind] = /^kubernetes:[^:]+\/[^:/]+:(\w+?)(?:Patch)?$/.exec(resource.type) ?? [];
  if (kind === undefined) return undefined;
  const namespace = textAt(resource.props, "metadata", "namespace") ?? "default";
  const objectName = textAt(resource.props, "metadata", "name");
  const label = objectLabel(kind, { namespace, name: objectName ?? resource.name });
  return { ...resource, kind, namespace, objectName, label, spec: fieldsOf(resource.props["spec"]) };
}

/** Returns how messages name an object: `IngressRoute default/whoami`. */
export function objectLabel(kind: string, { namespace, name }: { readonly namespace: string; readonly name: string }) {
  return `${kind} ${namespace}/${name}`;
}

/** Returns the Kubernetes objects among resources. */
export function manifestsOf(resources: readonly Resource[]): Manifest[] {
  return resources.flatMap((resource) => manifestOf(resource) ?? []);
}

/** Returns the name of a resource in messages. */
export function labelOf(resource: Resource): string {
  return manifestOf(resource)?.label ?? `${resource.type.split(":").at(-1) ?? ""} ${resource.name}`;
}
