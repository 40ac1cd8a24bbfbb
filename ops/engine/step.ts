/** Steps of the engine: the operation on one resource, without values, which may be secret. Pure. */
import type { StepEventMetadata } from "@pulumi/pulumi/automation/index.js";

/** In the order of the report. */
export const OPERATIONS = ["create", "update", "replace", "delete"] as const;

export type Operation = (typeof OPERATIONS)[number];

export interface Step {
  readonly operation: Operation;
  /** The last part of its type: `IngressRoute`, `ProviderProxy`. */
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** Paths of the properties that differ, sorted, and changed options like `protect = false`; only of an update or a replacement. */
  readonly paths: readonly string[];
}

/** The operation of each step; the engine reports a replacement as several steps. */
const AS_ONE: Readonly<Record<string, Operation>> = {
  create: "create",
  update: "update",
  delete: "delete",
  replace: "replace",
  "create-replacement": "replace",
  "delete-replaced": "replace",
};

/** What the engine reports as `same` when nothing else changes, although only an update writes it to the state. */
const OPTIONS = ["protect", "retainOnDelete"] as const;

/** Returns whether a resource is a provider. @param type of a resource, e.g. `pulumi:providers:kubernetes`; or its {@link qualifiedName} */
export function isProvider(type: string): boolean {
  return type.startsWith("pulumi:providers:");
}

/** Returns the step of an event; undefined for a component, and for an unchanged resource. */
export function stepOf(metadata: StepEventMetadata): Step | undefined {
  const { op, urn, type, new: after, old: before, detailedDiff, diffs } = metadata;
  const options = before && after ? OPTIONS.filter((option) => !before[option] !== !after[option]) : [];
  const operation = op === "same" && options.length > 0 ? "update" : AS_ONE[op];
  const custom = after?.custom ?? before?.custom ?? false;
  if (operation === undefined || !custom) return undefined;
  const changes = operation === "update" || operation === "replace";
  const paths = changes ? Object.keys(detailedDiff ?? {}) : [];
  const shown = paths.length > 0 || !changes ? paths : (diffs ?? []);
  const written = options.map((option) => `${option} = ${!!after?.[option]}`);
  const kind = isProvider(type) ? "Provider" : lastOf(type, ":");
  return { operation, type: kind, name: lastOf(urn, "::"), urn, paths: [...written, ...[...shown].sort()] };
}

/** Returns one step for each resource in the order of their first step: a replacement is three steps of the engine. */
export function merged(steps: readonly Step[]): Step[] {
  const byResource = new Map<string, Step>();
  for (const step of steps) {
    const known = byResource.get(step.urn);
    byResource.set(step.urn, known && known.paths.length >= step.paths.length ? known : { ...step });
  }
  return [...byResource.values()];
}

/** Returns `IngressRoute wiki-route`. */
export function nameOf({ type, name }: Pick<Step, "type" | "name">): string {
  return `${type} ${name}`;
}

/** Returns the type and the name in a URN, without the types of the parents: `pulumi:providers:kubernetes::cluster`. */
export function qualifiedName(urn: string): string {
  return urn.split("::").slice(-2).join("::").replace(/^.*\$/, "");
}

/** Returns the last part of a text, e.g. the resource's name in a URN. */
export function lastOf(text: string, separator: string): string {
  return text.split(separator).at(-1) ?? "";
}
