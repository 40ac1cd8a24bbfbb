import { randomBytes } from "node:crypto";

import { Secret } from "../protocol/plugin.ts";
import type { Value, Values } from "../protocol/plugin.ts";
import { diffValues, hasUnknown, isValues, textOf, valueAt } from "../protocol/values.ts";

export const AUTONAMED = "pulumi.com/autonamed";

/** What the server adds to every object, which no one can set. */
const SERVER_METADATA = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"];

/** The `namespace/name` of an object, or its `name` outside of namespaces. */
export function idOf(object: Values): string {
  const namespace = textOf(object, "metadata", "namespace");
  const name = textOf(object, "metadata", "name") ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Returns the fields that identify an object, from its Pulumi type (`kubernetes:core/v1:Secret`) and its id. */
export function lookup(type: string, id: string): Values {
  const [, groupVersion = "", kind = ""] = type.split(":");
  const [name = "", namespace] = id.split("/").reverse();
  return { apiVersion: groupVersion.replace(/^core\//, ""), kind, metadata: { name, namespace } };
}

/** True for a resource that sets some fields of an object that others own: its type is the object's kind and `Patch`. */
export function isPatch(type: string, object: Values): boolean {
  return type.endsWith(`:${textOf(object, "kind")}Patch`);
}

/** Returns the value of an annotation, unless it is empty. */
export function annotation(object: Values, name: string): string | undefined {
  return textOf(object, "metadata", "annotations", name);
}

/** Metadata with a name: its own, the automatic one of before, or a new one with the name of the resource as prefix. */
export function withName(metadata: Values, old: Value | undefined, urn: string): Values {
  if (metadata.name !== undefined) return metadata;
  const kept = valueAt(old, "annotations", AUTONAMED) === "true" ? textOf(old, "name") : undefined;
  const annotations = isValues(metadata.annotations) ? metadata.annotations : {};
  return {
    ...metadata,
    name: kept ?? `${urn.split("::").at(-1)}-${randomBytes(4).toString("hex")}`,
    annotations: { ...annotations, [AUTONAMED]: "true" },
  };
}

/** The object as the server gives it back: the `stringData` of a Secret is part of its `data`. */
export function normalized(object: Values): Values {
  const { stringData, ...rest } = object;
  if (!isSecret(object) || !isValues(stringData) || hasUnknown(object)) return object;
  const encoded = Object.keys(stringData).map((key) => [
    key,
    Buffer.from(textOf(stringData, key) ?? "").toString("base64"),
  ]);
  return { ...rest, data: { ...(rest.data as Values | undefined), ...(Object.fromEntries(encoded) as Values) } };
}

/** Returns the object with the data of a Secret marked as secret. */
export function markSecrets(object: Values): Values {
  if (!isSecret(object)) return object;
  const { data, stringData } = object;
  return {
    ...object,
    ...(data !== undefined && { data: new Secret(data) }),
    ...(stringData !== undefined && { stringData: new Secret(stringData) }),
  };
}

function isSecret(object: Values): boolean {
  return object.kind === "Secret" && object.apiVersion === "v1";
}

/** What is recorded of a live object; the real provider compares with `__inputs`, and updates as `__fieldManager`. */
export function stateOf(live: Values, inputs: Values, manager: string): Values {
  return {
    ...markSecrets(live),
    __inputs: markSecrets(inputs),
    __initialApiVersion: live.apiVersion,
    __fieldManager: manager,
  };
}

/** The inputs that would make this object, for an import. */
export function importedInputs(live: Values): Values {
  const metadata = isValues(live.metadata) ? { ...live.metadata } : {};
  for (const key of SERVER_METADATA) metadata[key] = undefined;
  return { ...live, metadata, status: undefined };
}

/**
 * The inputs after a refresh: changes in the cluster since the last run are included, the rest stays as it was
 * written. So neither a default nor the server's own spelling of a value (0.5 CPU as 500m) counts as a change, and, as with the real
 * provider, neither does what others add at the end of a list.
 */
export function refreshedInputs(inputs: Values, before: Values, now: Values): Values {
  const { kind, apiVersion, ...rest } = inputs;
  return { kind, apiVersion, ...(refreshed(rest, before, now) as Values) };
}

function refreshed(input: Value | undefined, before: Value | undefined, now: Value | undefined): Value | undefined {
  if (Object.keys(diffValues({ value: before }, { value: now })).length === 0) return input;
  if (isValues(input) && isValues(now)) {
    const fields = Object.entries(input).map(([key, item]) => [key, refreshed(item, valueAt(before, key), now[key])]);
    return Object.fromEntries(fields) as Values;
  }
  if (!Array.isArray(input) || !Array.isArray(now)) return now;
  const kept = now.slice(0, input.length);
  return kept.map((item, index) => refreshed(input[index], valueAt(before, index), item) ?? null);
}
