/** Disables the defences that make the API read-only: the gateway, the grants, and the pre-request function. */
import { CoreV1Api } from "@kubernetes/client-node";
import { inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { type RequestOptions, asAdministrator, withDatabase } from "./apiClient.ts";

/** Returns the address of an instance of PostgREST, which bypasses the gateway. */
export async function podAddress(): Promise<NonNullable<RequestOptions["to"]>> {
  const { kubeconfig, namespace } = inject("data");
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace });
  const ready = items.find((pod) => pod.metadata?.name?.startsWith("postgrest-") && isReadyPod(pod));
  const host = ready?.status?.podIP;
  if (host === undefined) throw new Error(`no Pod of PostgREST is ready in ${namespace}`);
  return { host, port: 3000 };
}

/** Returns the targets of a manual GRANT ALL on the exposed schemas. */
function grantTargets(): string[] {
  const exposed = inject("data").plan.schemas.filter(({ access }) => access === "exposed");
  const kinds = ["tables", "sequences", "functions"];
  return exposed.flatMap(({ name }) => kinds.map((kind) => `all ${kind} in schema ${name}`));
}

/** Grants the anonymous role every privilege on the exposed schemas. */
export function grantEverything(): Promise<void> {
  const { anonymous } = inject("data").plan.roles;
  return asAdministrator(...grantTargets().map((what) => `grant all on ${what} to ${anonymous}`));
}

/** Restores the grants of the plan. */
export function restoreGrants(): Promise<void> {
  const { anonymous } = inject("data").plan.roles;
  return asAdministrator(
    ...grantTargets().map((what) => `revoke all on ${what} from ${anonymous}`),
    ...grantTargets().flatMap((what) => (what.includes("tables") ? [`grant select on ${what} to ${anonymous}`] : [])),
  );
}

/** Runs `work` while the anonymous role has every privilege on the exposed schemas. */
export async function withAllGrants(work: () => Promise<void>): Promise<void> {
  try {
    await grantEverything();
    await work();
  } finally {
    await restoreGrants();
  }
}

/** Runs `work` while the pre-request function does nothing. */
export function withoutPreRequest(work: () => Promise<void>): Promise<void> {
  return withFunction(
    "pre_request()",
    "create or replace function gatehouse.pre_request() returns void language sql as ''",
    work,
  );
}

/** Runs `work` while the database does not count the queries of a client. */
export function withoutSlots(work: () => Promise<void>): Promise<void> {
  const replaced = "gatehouse.acquire_slot(client text, slots integer) returns boolean language sql as 'select true'";
  return withFunction("acquire_slot(text, integer)", `create or replace function ${replaced}`, work);
}

async function withFunction(name: string, replacement: string, work: () => Promise<void>): Promise<void> {
  const definition = await withDatabase(async (client) => {
    const { rows } = await client.query<{ text: string }>(
      `select pg_get_functiondef('gatehouse.${name}'::regprocedure) as text`,
    );
    return rows[0]?.text ?? "";
  });
  try {
    await asAdministrator(replacement);
    await work();
  } finally {
    await asAdministrator(definition);
  }
}
