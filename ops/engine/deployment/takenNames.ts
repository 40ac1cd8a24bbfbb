/** Names that another object of authentik has: a deployment would stop at them, half-way. */
import pLimit from "p-limit";
import { AuthentikApi } from "../../clients/authentikApi.ts";
import { isLookedUp, LISTS, objectsNamed } from "../../clients/authentikObjects.ts";
import { withClient } from "../../clients/http.ts";
import type { StackContext } from "../../context/context.ts";
import type { Resource } from "../state/state.ts";
import { lastOf } from "../step.ts";

const APPLICATION = "authentik:index/application:Application";
/** Two bindings of the same target may be equal. */
const NOT_UNIQUE = "authentik:index/policyBinding:PolicyBinding";
const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Returns one problem for each planned creation whose name is taken in authentik, with the entry of the stack file where it has one. The preview
 * does not find them, because the Terraform provider sends nothing in a preview; that of Kubernetes does.
 * @param token API token of a superuser
 * @param creations of a preview
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
