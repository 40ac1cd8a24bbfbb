import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { secretsOf } from "../checks/secrets.ts";
import { authentikOrigin, type StackContext } from "../context/context.ts";
import type { StackState } from "../engine/state/stackState.ts";

/**
 * Returns why an existing authentik is not the one of the last deployment: it has no flow with the id in the state. The engine would change and
 * delete there, by their ids, objects of others: ids of users and providers are small numbers. A server that does not answer, or does not show its
 * flows, is left to the preview, which needs both.
 * @param decrypted secret variables of the stack file
 */
export async function otherAuthentikProblems(
  target: StackContext,
  { authorizationFlow }: Pick<StackState, "authorizationFlow">,
  decrypted: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { install, token, apiUrl } = target.settings.identityProvider;
  const url = authentikOrigin(target);
  if (install || url === undefined || authorizationFlow === undefined) return [];
  const key = (await secretsOf(target, () => Promise.resolve(decrypted))).reveal(token);
  if (key === undefined) return [];
  const flows = await withAuthentik(url, key, (api) => api.all<{ pk: string }>("/flows/instances/")).catch(() => []);
  if (flows.length === 0 || flows.some(({ pk }) => pk === authorizationFlow)) return [];
  const field = `identity_provider.${apiUrl === undefined ? "url" : "api_url"}`;
  return [
    `${field}: ${url} is not the authentik of the last deployment, or its database is another one: it has no flow with the id ${authorizationFlow}. ` +
      "Ids in the state would name objects of others there. Set the former address. To move the stack, first run pulumi destroy " +
      `--stack ${target.stack} with it; if that server does not exist any more, use another stack.`,
  ];
}
