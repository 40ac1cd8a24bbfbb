/** Names that another object of authentik has: a deployment would stop at them after its first changes. */
import pLimit from "p-limit";
import { errorText } from "../../config/errors/errorText.ts";
import { type Secrets, secretsOf } from "../checks/secrets.ts";
import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { authentikOrigin, type StackContext } from "../context/context.ts";
import { isLookedUp, takenFields } from "../clients/authentikObjects.ts";
import type { Resource } from "../engine/state/state.ts";
import { AUTHENTIK_PROVIDER } from "../engine/state/stackState.ts";
import { lastOf } from "../engine/step.ts";
import { type Ready, Refusal } from "./checks.ts";

type Target = Pick<StackContext, "settings" | "plan">;
type Inputs = Readonly<Record<string, unknown>>;

const APPLICATION = "authentik:index/application:Application";
const CLIENT = "authentik:index/providerOauth2:ProviderOauth2";
/** Two bindings of the same target may be equal. */
const NOT_UNIQUE = "authentik:index/policyBinding:PolicyBinding";
const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Refuses planned creations whose name is taken in authentik. The preview does not find them, because the Terraform provider sends nothing in a
 * preview. Does nothing for a server that this deployment installs.
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
  const { install, token } = target.settings.identityProvider;
  const url = authentikOrigin(target);
  const secrets = await secretsOf(target, () => Promise.resolve(decrypted));
  const known = secrets.reveal(token);
  if (url === undefined || known === undefined || (install && !deployed)) return;
  const planned = creations.map((creation) => withClientId(creation, target, secrets));
  const taken = await takenNames(url, known, planned, target).catch((error: unknown) => {
    report(`Names in authentik were not compared: ${errorText(error)}`);
    return [];
  });
  if (taken.length > 0) throw new Refusal(taken);
}

/** Returns the creation of a client with its client id, which an event contains masked. */
function withClientId(creation: Resource, { settings, plan }: Target, { reveal }: Secrets): Resource {
  const client = plan.clients.find(({ application }) => application.slug === creation.inputs?.["name"]);
  const service = settings.services.find(({ name }) => name === client?.service);
  if (creation.type !== CLIENT || service?.type !== "oauth2") return creation;
  return { ...creation, inputs: { ...creation.inputs, clientId: reveal(service.oauthConfig.clientId) } };
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
  target: Target,
): Promise<string[]> {
  const limit = pLimit(MAX_CONCURRENT_REQUESTS);
  return withAuthentik(url, token, async (api) => {
    const problems = await limit.map(
      creations.filter(({ type, provider = AUTHENTIK_PROVIDER }) => {
        return isLookedUp(type) && type !== NOT_UNIQUE && provider.includes(AUTHENTIK_PROVIDER);
      }),
      async ({ type, inputs = {} }) => {
        const fields = await takenFields(api, type, inputs);
        return fields.map((field) => problem(url, type, field, inputs, target));
      },
    );
    return problems.flat().sort();
  });
}

function problem(url: string, type: string, field: string, inputs: Inputs, target: Target): string {
  if (field === "clientId") {
    const entry = entryOf(String(inputs["name"]), target);
    const hint = "Choose another one; of a deployed service, change name and application_slug one after the other.";
    return `${entry ?? "protected_services"}.oauth_config.client_id: ${url} already has a provider with this client id. ${hint}`;
  }
  const what = `${url} already has an object ${lastOf(type, ":")} with the ${field} "${String(inputs[field])}"`;
  const entry = type === APPLICATION ? entryOf(String(inputs["slug"]), target) : undefined;
  if (entry === undefined) return `${what}. Rename or delete it there.`;
  return `${entry}.application_slug: ${what}. Choose another slug, or delete that application.`;
}

function entryOf(slug: string, { settings, plan }: Target): string | undefined {
  const exposure = plan.exposures.find(({ application }) => application?.slug === slug);
  const client = plan.clients.find(({ application }) => application.slug === slug);
  const service = exposure?.entry ?? client?.service;
  const index = settings.services.findIndex(({ name }) => name === service);
  return index === -1 ? undefined : `protected_services[${index}]`;
}
