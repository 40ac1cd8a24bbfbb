/** What a stack's state tells before a deployment. Pure, apart from {@link readState}. */
import { createHash } from "node:crypto";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Plan } from "../../infra/plan/types.ts";
import type { Resource } from "../replay.ts";
import { exportState } from "../state.ts";

export interface StackState {
  /** Changes with every change of the state; tells whether what was previewed is still what there is. */
  readonly digest: string;
  /** Of the last deployment that came to its end; undefined before the first. */
  readonly plan: Plan | undefined;
  /** Contexts of the clusters that hold what was deployed. */
  readonly contexts: readonly string[];
}

export async function readState(stack: Stack): Promise<StackState> {
  return stateOf((await exportState(stack)).deployment.resources ?? []);
}

export function stateOf(resources: readonly Resource[]): StackState {
  const own = resources.find(({ type }) => type === "pulumi:pulumi:Stack");
  const clusters = resources.filter(({ type }) => type === "pulumi:providers:kubernetes");
  const contexts = clusters.flatMap(({ inputs }) => (typeof inputs?.["context"] === "string" ? inputs["context"] : []));
  return {
    digest: createHash("sha256").update(JSON.stringify(resources)).digest("hex"),
    plan: own?.outputs?.["plan"] as Plan | undefined,
    contexts: [...new Set(contexts)],
  };
}

/** Whether two plans are one, whatever the order of their fields; the state keeps none that is undefined. */
export function isSamePlan(one: Plan | undefined, other: Plan): boolean {
  return one !== undefined && canonical(one) === canonical(other);
}

function canonical(plan: Plan): string {
  return JSON.stringify(plan, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
