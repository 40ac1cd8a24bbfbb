import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { secretsOf } from "../checks/secrets.ts";
import { authentikOrigin, type StackContext } from "../context/context.ts";
import type { StackState } from "../engine/state/stackState.ts";

const HINT =
  "Ids in the state would name objects of others there: those of users and providers are small numbers. Set the former one. To move the stack to another " +
  "authentik, see docs/operations/moving.md.";

/**
 * Returns why the authentik of a deployment is not that of the last one: the state has none of its flows, or is that of an existing authentik when this
 * deployment installs one. A server that does not answer, or does not show its flows, is left to the preview, which needs both.
 * @param decrypted secret variables of the stack file
 */
export async function otherAuthentikProblems(
  target: StackContext,
  { flows, installsAuthentik }: Pick<StackState, "flows" | "installsAuthentik">,
  decrypted: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { install, token, apiUrl } = target.settings.identityProvider;
  if (flows.length === 0 || (install && installsAuthentik)) return [];
  if (install) return [`identity_provider.install: the last deployment used an authentik that exists. ${HINT}`];
  const url = authentikOrigin(target);
  const key = (await secretsOf(target, () => Promise.resolve(decrypted))).reveal(token);
  if (url === undefined || key === undefined) return [];
  const found = await withAuthentik(url, key, (api) => api.all<{ pk: string }>("/flows/instances/")).catch(() => []);
  if (found.length === 0 || found.some(({ pk }) => flows.includes(pk))) return [];
  const field = `identity_provider.${apiUrl === undefined ? "url" : "api_url"}`;
  return [
    `${field}: ${url} is not the authentik of the last deployment, or its database is another one: it has none of the flows in the state. ${HINT}`,
  ];
}
