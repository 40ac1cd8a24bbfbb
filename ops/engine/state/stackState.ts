/** The facts of a stack's state before a deployment. Pure, except {@link readState}. */
import { createHash } from "node:crypto";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { AccessFacts } from "../../../infra/access/facts.ts";
import { accessIn, type AccessRecord, DEPLOYED_ACCESS, PLANNED_ACCESS } from "../../../infra/access/record.ts";
import { lastOf } from "../step.ts";
import { exportState, type Resource } from "./state.ts";

/** Part of the references to Gatehouse's own provider; a project can have another one, for another server. */
export const AUTHENTIK_PROVIDER = "pulumi:providers:authentik::authentik::";

export interface StackState {
  /** Changes with the state, so it shows whether the preview is still valid. */
  readonly digest: string;
  /** Those of the state. */
  readonly resources: readonly Resource[];
  /** Access of the last completed deployment; undefined before the first. */
  readonly access: AccessFacts | undefined;
  /** Access of each plan whose deployment did not complete after that, and can be in effect in part. */
  readonly incomplete: readonly AccessFacts[];
  readonly contexts: readonly string[];
  /** Names of the deployed roles and databases in Postgres, by the name of the resource. */
  readonly databaseNames: ReadonlyMap<string, string>;
  /** UID of the cluster of the last deployment; undefined if it was not read. */
  readonly uid: string | undefined;
  /** Whether the stack installed its authentik. */
  readonly installsAuthentik: boolean;
  /** Ids of the flows of authentik that the stack's providers refer to; empty if it has none. */
  readonly flows: readonly string[];
}

/** Reads the state of a stack, and returns its facts. */
export async function readState(stack: Stack): Promise<StackState> {
  return stateOf((await exportState(stack)).deployment.resources ?? []);
}

/** Returns the facts of the resources of a state. */
export function stateOf(resources: readonly Resource[]): StackState {
  // A stack that moves keeps its component and its provider, and nothing in a cluster (docs/operations/moving.md).
  const isInCluster = resources.some(({ type }) => type.startsWith("kubernetes:"));
  const clusters = resources.filter(({ type }) => type === "pulumi:providers:kubernetes");
  const contexts = clusters.flatMap(({ inputs }) => (typeof inputs?.["context"] === "string" ? inputs["context"] : []));
  const databases = resources.filter(({ type }) => /^postgresql:index\/(role:Role|database:Database)$/.test(type));
  const uid = resources.find(({ type }) => type === "gatehouse:infra:Cluster")?.outputs?.["uid"];
  return {
    digest: createHash("sha256").update(JSON.stringify(resources)).digest("hex"),
    resources,
    access: deployedAccess(resources),
    incomplete: incompleteAccess(resources),
    contexts: isInCluster ? [...new Set(contexts)] : [],
    databaseNames: new Map(databases.map(({ urn, inputs }) => [lastOf(urn, "::"), String(inputs?.["name"])])),
    uid: isInCluster && typeof uid === "string" ? uid : undefined,
    installsAuthentik: resources.some(({ type }) => type === "gatehouse:identity:Installation"),
    flows: [...new Set(resources.flatMap(flowsOf))],
  };
}

function flowsOf({ provider, inputs }: Resource): string[] {
  if (provider?.includes(AUTHENTIK_PROVIDER) !== true) return [];
  return [inputs?.["authorizationFlow"], inputs?.["invalidationFlow"]].filter((flow) => typeof flow === "string");
}

/** Returns the access of the last deployment that succeeded; undefined if none did. */
export function deployedAccess(resources: readonly Resource[]): AccessFacts | undefined {
  const [record] = recordsOf(resources, DEPLOYED_ACCESS);
  return record && accessIn(record);
}

function incompleteAccess(resources: readonly Resource[]): AccessFacts[] {
  const [complete] = recordsOf(resources, DEPLOYED_ACCESS);
  return recordsOf(resources, PLANNED_ACCESS)
    .filter(({ facts }) => facts !== complete?.facts)
    .map(accessIn);
}

/** Returns the exposed schemas of the last deployment; none if it did not complete. */
export function completeSchemas({ access, incomplete }: Pick<StackState, "access" | "incomplete">): string[] {
  if (access === undefined || incomplete.length > 0) return [];
  return [...access.schema].flatMap(([name, schema]) => (schema.access === "exposed" ? name : []));
}

/** Returns the records of access that components of a type contain. */
export function recordsOf(resources: readonly Resource[], component: string): AccessRecord[] {
  const records = resources.filter(({ type, outputs }) => type === component && outputs?.["facts"] !== undefined);
  return records.map(({ outputs }) => outputs as unknown as AccessRecord);
}
