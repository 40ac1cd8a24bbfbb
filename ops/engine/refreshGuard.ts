import type { StackContext } from "../context/context.ts";
import { withClient } from "../clients/http.ts";
import { reasonOf } from "./reason.ts";

/**
 * Keeps a refresh from forgetting the identity provider's objects: the Terraform provider takes a 404 for an object that is gone, also
 * one that the gateway gives because the identity provider's own route is missing.
 * @throws Error when the identity provider does not say that it is ready
 */
export async function refuseUnsafeRefresh({ context, settings, plan }: StackContext): Promise<void> {
  const origin = settings.identityProvider.apiUrl ?? plan.identityProviderUrl;
  if (origin === undefined) return;
  const url = `${origin}/-/health/ready/`;
  const problem = await withClient((client) => client.send(url)).then(
    ({ status }) => (status === 200 || status === 204 ? undefined : `answers ${status}`),
    (error: unknown) => `does not answer (${reasonOf(error)})`,
  );
  if (problem === undefined) return;
  throw new Error(
    `${url} ${problem}, so a refresh would delete all resources of the identity provider from the state; ` +
      `deploy without --refresh first, or run: npm run diagnose -- ${context}`,
  );
}
