import { authentikOrigin, type StackContext } from "../context/context.ts";
import { withClient } from "../clients/http.ts";
import { reasonOf } from "./reason.ts";
import type { Resource } from "./state/state.ts";
import { argument } from "../text.ts";

/**
 * Refuses a refresh that would remove the identity provider's objects from the state: the Terraform provider treats every 404 as a deleted object, also
 * the gateway's 404 when the identity provider's route is missing.
 * @param resources of the state, also of a first deployment that did not complete
 * @param signal ends the request
 * @throws Error when the identity provider is not ready
 */
export async function refuseUnsafeRefresh(
  target: StackContext,
  resources: readonly Pick<Resource, "type">[],
  signal?: AbortSignal,
): Promise<void> {
  const origin = authentikOrigin(target);
  if (origin === undefined || !resources.some(({ type }) => type.startsWith("authentik:"))) return;
  const url = `${origin}/-/health/ready/`;
  const problem = await withClient((client) => client.send(url, { ...(signal && { signal }) })).then(
    ({ status }) => (status === 200 || status === 204 ? undefined : `returns ${status}`),
    (error: unknown) => `does not answer (${reasonOf(error)})`,
  );
  if (problem === undefined) return;
  throw new Error(
    `${url} ${problem}, so a refresh would delete all resources of the identity provider from the state. ` +
      `Deploy without --refresh first, or run: npx gatehouse diagnose ${argument(target.given)}`,
  );
}
