/** Names that another object of authentik has: a deployment would stop at them, half-way. */
import pLimit from "p-limit";
import { errorText } from "../../../config/errorText.ts";
import { secretsOf } from "../../checks/secrets.ts";
import { AuthentikApi } from "../../clients/authentikApi.ts";
import { isLookedUp, LISTS, objectsNamed } from "../../clients/authentikObjects.ts";
import { withClient } from "../../clients/http.ts";
import type { StackContext } from "../../context/context.ts";
import type { Resource } from "../state/state.ts";
import { lastOf } from "../step.ts";
import { type Ready, Refusal } from "./checks.ts";

const APPLICATION = "authentik:index/application:Application";
/** Two bindings of the same target may be equal. */
const NOT_UNIQUE = "authentik:index/policyBinding:PolicyBinding";
const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Refuses planned creations whose name is taken in authentik. The preview does not find them, because the Terraform provider sends nothing in a
 * preview; that of Kubernetes does. Does nothing for a server that this deployment installs.
 * @param deployed whether the stack is deployed
 * @param decrypted secret variables of the stack file
 * @param creations of a preview
 * @param report receives why the names could not be compared; a server that does not answer stops the deployment before it registers anything
 * @throws Refusal with one problem for each name, with the entry of the stack file where it has one
 */
export async function refuseTakenNames(
  target: StackContext,
  deployed: boolean,
  decrypted: Ready["secrets"],
  creations: readonly Resource[],
  report: (text: string) => void,
): Promise<void> {
  const { install, apiUrl, token } = target.settings.identityProvider;
  const url = apiUrl ?? target.plan.identityProviderUrl;
  const known = (await secretsOf(target, () => Promise.resolve(decrypted))).reveal(token);
  if (url === undefined || known === undefined || (install && !deployed)) return;
  const taken = await takenNames(url, known, creations, target).catch((error: unknown) => {
    report(`Names in authentik were not compared: ${errorText(error)}`);
    return [];
  });
  if (taken.length > 0) throw new Refusal(taken);
}

/**
 * Returns one problem for each planned creation whose name is taken.
 * @param token API token of a superuser
 * @throws Error when the server does not answer
 */
export async function takenNames(
  url: string,
  token: string,
  creations: readonly Resource[],
  target: Pick<StackContext, "settings" | "plan">,
): Promise<string[]> {
  const limit = pLimit(MAX_CONCURRENT_REQUESTS);
  return withClient(async (client) => {
    const api = new AuthentikApi(client, url, token);
    const problems = await limit.map(
      creations.filter(({ type }) => isLookedUp(type) && type !== NOT_UNIQUE),
      async ({ type, inputs = {} }) => {
        const found = await objectsNamed(api, type, inputs);
        if (found.length === 0) return [];
        const [field = "name"] = LISTS[type]?.fields ?? [];
        return [problem(url, type, field, String(inputs[field]), target)];
      },
    );
    return problems.flat().sort();
  });
}

function problem(
  url: string,
  type: string,
  field: string,
  name: string,
  target: Pick<StackContext, "settings" | "plan">,
): string {
  const what = `${url} has an object ${lastOf(type, ":")} with the ${field} "${name}", which is not of this stack`;
  const entry = type === APPLICATION ? entryOf(name, target) : undefined;
  if (entry === undefined) return `${what}. Rename or delete it there.`;
  return `${entry}: ${what}. Choose another slug, or delete that application.`;
}

/** The field of the stack file that an application has its slug from. */
function entryOf(slug: string, { settings, plan }: Pick<StackContext, "settings" | "plan">): string | undefined {
  const exposure = plan.exposures.find(({ application }) => application?.slug === slug);
  const client = plan.clients.find(({ application }) => application.slug === slug);
  const service = exposure?.entry ?? client?.service;
  const index = settings.services.findIndex(({ name }) => name === service);
  return index === -1 ? undefined : `protected_services[${index}].application_slug`;
}
