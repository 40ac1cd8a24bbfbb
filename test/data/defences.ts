/** The three things that keep the API read only, each of which can be taken away. */
import { CoreV1Api } from "@kubernetes/client-node";
import { inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { type Asked, asAdministrator, withDatabase } from "./api-client.ts";

/** Where one instance of PostgREST itself listens: the way past the gateway. */
export async function pod(): Promise<NonNullable<Asked["to"]>> {
  const { kubeconfig, namespace } = inject("data");
  const config = new RetryingKubeConfig();
  config.loadFromFile(kubeconfig);
  const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace });
  const ready = items.find(
    ({ metadata, status }) =>
      metadata?.name?.startsWith("postgrest-") === true &&
      status?.conditions?.some(({ type, status: holds }) => type === "Ready" && holds === "True") === true,
  );
  const host = ready?.status?.podIP;
  if (host === undefined) throw new Error(`no Pod of PostgREST is ready in ${namespace}`);
  return { host, port: 3000 };
}

/** What of an exposed schema a GRANT ALL by hand reaches. */
function everything(): string[] {
  const exposed = inject("data").plan.schemas.filter(({ access }) => access === "exposed");
  const kinds = ["tables", "sequences", "functions"];
  return exposed.flatMap(({ name }) => kinds.map((kind) => `all ${kind} in schema ${name}`));
}

/** Lets the anonymous role do everything with what is exposed. */
export function grantEverything(): Promise<void> {
  const { anonymous } = inject("data").plan.roles;
  return asAdministrator(...everything().map((what) => `grant all on ${what} to ${anonymous}`));
}

/** Back to the grants of the plan. */
export function takeBack(): Promise<void> {
  const { anonymous } = inject("data").plan.roles;
  return asAdministrator(
    ...everything().map((what) => `revoke all on ${what} from ${anonymous}`),
    ...everything().flatMap((what) => (what.includes("tables") ? [`grant select on ${what} to ${anonymous}`] : [])),
  );
}

/** While the anonymous role may do everything with what is exposed. */
export async function withStrayGrants(work: () => Promise<void>): Promise<void> {
  try {
    await grantEverything();
    await work();
  } finally {
    await takeBack();
  }
}

/** While the function that runs before each request does nothing. */
export async function withoutPreRequest(work: () => Promise<void>): Promise<void> {
  const definition = await withDatabase(async (client) => {
    const name = "gatehouse.pre_request()";
    const { rows } = await client.query<{ text: string }>(`select pg_get_functiondef('${name}'::regprocedure) as text`);
    return rows[0]?.text ?? "";
  });
  try {
    await asAdministrator(`create or replace function gatehouse.pre_request() returns void language sql as ''`);
    await work();
  } finally {
    await asAdministrator(definition);
  }
}
