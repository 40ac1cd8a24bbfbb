import { randomBytes } from "node:crypto";

import { Secret, UNKNOWN } from "../protocol/plugin.ts";
import type { Value, Values } from "../protocol/plugin.ts";
import { diffValues, isValues, textOf, valueAt } from "../protocol/values.ts";
import { AUTONAMED } from "./replacement.ts";

/** What the server adds to every object, which no one can set. */
const SERVER_METADATA = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

/** The `namespace/name` of an object, or its `name` outside of namespaces. */
export function idOf(object: Values): string {
  const namespace = textOf(object, "metadata", "namespace");
  const name = textOf(object, "metadata", "name") ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** What is needed to look an object up, from its Pulumi type (`kubernetes:core/v1:Secret`) and its id. */
export function lookup(type: string, id: string): Values {
  const [, groupVersion = "", kind = ""] = type.split(":");
  const [name = "", namespace] = id.split("/").reverse();
  return { apiVersion: groupVersion.replace(/^core\//, ""), kind, metadata: { name, namespace } };
}

export function annotation(object: Values, name: string): string | undefined {
  return textOf(object, "metadata", "annotations", name);
}

/** Metadata with a name: its own, the automatic one of before, or a new one made of the resource's name. */
export function withName(metadata: Values, old: Value | undefined, urn: string): Values {
  if (metadata.name !== undefined || metadata.generateName !== undefined) return metadata;
  const kept = valueAt(old, "annotations", AUTONAMED) === "true" ? textOf(old, "name") : undefined;
  const annotations = isValues(metadata.annotations) ? metadata.annotations : {};
  return {
    ...metadata,
    name: kept ?? `${urn.split("::").at(-1)}-${randomBytes(4).toString("hex")}`,
    annotations: { ...annotations, [AUTONAMED]: "true" },
  };
}

/** The object with what a Secret holds marked as secret. */
export function hidden(object: Values): Values {
  if (object.kind !== "Secret" || object.apiVersion !== "v1") return object;
  const fields = ["data", "stringData"].flatMap((key) => {
    const value = object[key];
    return value === undefined ? [] : [[key, new Secret(value)] as const];
  });
  return { ...object, ...Object.fromEntries(fields) };
}

/** What is recorded of a live object. Who manages which field is left out, and so is the copy that kubectl makes of what it applied. */
export function stateOf(live: Values, inputs: Values, manager: string): Values {
  const metadata: Values = isValues(live.metadata) ? { ...live.metadata, managedFields: undefined } : {};
  if (isValues(metadata.annotations)) {
    metadata.annotations = { ...metadata.annotations, "kubectl.kubernetes.io/last-applied-configuration": undefined };
  }
  return { ...live, metadata, ...plainData(live, inputs), __fieldManager: manager };
}

/** The `stringData` of a Secret, which the server takes but never gives back. */
function plainData(live: Values, inputs: Values): Values {
  if (live.kind !== "Secret" || !isValues(inputs.stringData)) return {};
  const decoded = Object.keys(inputs.stringData).flatMap((key) => {
    const data = textOf(live, "data", key);
    return data === undefined ? [] : [[key, Buffer.from(data, "base64").toString()] as const];
  });
  return { stringData: Object.fromEntries(decoded) };
}

/** The state that a preview tells for a new object: what the server will draw or find out is not known yet. */
export function foretold(state: Values, inputs: Values): Values {
  const metadata = isValues(state.metadata) ? state.metadata : {};
  const unknown: Values = { uid: UNKNOWN, resourceVersion: UNKNOWN, creationTimestamp: UNKNOWN };
  const told: Values = { ...state, metadata: { ...metadata, ...unknown }, status: UNKNOWN };
  if (state.kind !== "Service" || !isValues(state.spec) || valueAt(inputs, "spec", "clusterIP")) return told;
  return { ...told, spec: { ...state.spec, clusterIP: UNKNOWN, clusterIPs: UNKNOWN } };
}

/** The inputs that would make this object, for an import. */
export function importedInputs(live: Values): Values {
  const metadata = isValues(live.metadata) ? { ...live.metadata } : {};
  for (const key of SERVER_METADATA) metadata[key] = undefined;
  return { ...live, metadata, status: undefined };
}

/**
 * The inputs after a refresh: what someone else changed in the cluster since the last run is taken over, the rest stays as it was
 * written. So neither a default nor the server's own spelling of a value (0.5 CPU as 500m) counts as a change.
 */
export function refreshedInputs(inputs: Values, before: Values, now: Values): Values {
  const { kind, apiVersion, ...rest } = inputs;
  return { kind, apiVersion, ...(refreshed(rest, before, now) as Values) };
}

function refreshed(input: Value | undefined, before: Value | undefined, now: Value | undefined): Value | undefined {
  if (isSame(before, now)) return input;
  if (isValues(input) && isValues(now)) {
    const fields = Object.entries(input).map(([key, item]) => [key, refreshed(item, valueAt(before, key), now[key])]);
    return Object.fromEntries(fields) as Values;
  }
  if (Array.isArray(input) && Array.isArray(now) && input.length === now.length) {
    return input.map((item, index) => refreshed(item, valueAt(before, index), now[index]) ?? null);
  }
  return now;
}

function isSame(one: Value | undefined, other: Value | undefined): boolean {
  return Object.keys(diffValues({ value: one }, { value: other })).length === 0;
}

/** True when a value holds anything that is not known yet. */
export function hasUnknown(value: Value | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  return value === UNKNOWN || (isValues(value) && Object.values(value).some(hasUnknown));
}
