import type { Stack } from "@pulumi/pulumi/automation/index.js";
import pRetry, { type Options } from "p-retry";
import { once, StatusError, withAuthentik } from "../../../infra/identity/authentikApi.ts";
import { comparable, isLookedUp, listOf, objectsNamed, USER } from "../../clients/authentikObjects.ts";
import type { Deployment, Resource } from "../state/state.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** Two minutes, because a pod of authentik may still be starting. */
const RETRIES = { retries: 60, factor: 1, minTimeout: 2_000, maxTimeout: 2_000 };

/**
 * Returns the existing resources as the state contains them, with the id from their inputs or from authentik. A component exists
 * once it is registered. Omits resources that do not exist, those that can safely be created again, and objects in authentik of the same name
 * that are not of this stack: the next run fails on their names instead of changing them.
 * @param creations creations of an interrupted deployment, dependencies first
 * @param retries of a lookup, and what ends it. Default: for two minutes
 * @throws Error when a lookup in authentik fails
 */
export async function existingResources(
  stack: Stack,
  creations: readonly Resource[],
  retries: Options = {},
): Promise<Resource[]> {
  const lookedUp = creations.filter(({ type }) => isLookedUp(type));
  const found = lookedUp.length === 0 ? new Map<Resource, string>() : await lookUpIds(stack, lookedUp, retries);
  return creations.flatMap((resource): Resource[] => {
    if (resource.custom === false) return [{ ...resource, inputs: {}, outputs: resource.outputs ?? {} }];
    const id = resource.id ?? found.get(resource) ?? idFromInputs(resource.type, resource.inputs ?? {});
    if (id === undefined) return [];
    // A user's password is set by a second call, which may not have happened: without it here, the next run sets it.
    const { password, ...rest } = resource.inputs ?? {};
    const inputs = resource.type === USER || password === undefined ? rest : { ...rest, password };
    // Without outputs, the Terraform provider imports an object by its id. A refresh takes the id from the outputs, where it has a name that differs by type
    // (policyExpressionId): without it the object counts as deleted (measured with the publisher's plugin; pf/tfbridge/provider_read.go).
    return [{ ...resource, id, inputs, outputs: isLookedUp(resource.type) ? {} : inputs }];
  });
}

async function lookUpIds(
  stack: Stack,
  resources: readonly Resource[],
  retries: Options,
): Promise<Map<Resource, string>> {
  const { deployment } = (await stack.exportStack()) as { deployment: Deployment };
  const found = new Map<Resource, string>();
  for (const resource of resources) {
    const provider = deployment.resources?.find(({ urn, id }) => `${urn}::${id}` === resource.provider);
    const id = await pRetry(() => lookUp(provider?.inputs ?? {}, resource), { ...RETRIES, ...retries, shouldRetry });
    if (id !== undefined) found.set(resource, id);
  }
  return found;
}

/** Returns whether to retry: a starting pod returns 404 or 5xx. Other statuses, such as 403 for a wrong token, are not retried. */
function shouldRetry({ error }: { readonly error: Error }): boolean {
  const { cause } = error;
  return !(cause instanceof StatusError) || [404, 429].includes(cause.status) || cause.status >= 500;
}

async function lookUp(provider: Inputs, { type, inputs = {} }: Resource): Promise<string | undefined> {
  const { own = {}, id = "pk" } = listOf(type);
  const url = plain(provider["url"]);
  const read = withAuthentik(url, plain(provider["token"]), (api) => objectsNamed(api, type, inputs), once);
  const objects = await read.catch((error: unknown) => {
    const { message } = error as Error;
    throw new Error(`cannot determine whether the interrupted deployment created a ${type} at ${url}: ${message}`, {
      cause: error,
    });
  });
  const isOwn = (object: Inputs) =>
    Object.entries(own).every(([input, field]) => {
      return inputs[input] === undefined || comparable(object[field]) === comparable(inputs[input]);
    });
  const match = objects.find(isOwn);
  return match && String(match[id]);
}

/** Returns a value of a state that was exported with its secrets. */
function plain(value: unknown): string {
  const secret = (value as { plaintext?: string } | undefined)?.plaintext;
  return secret === undefined ? String(value) : String(JSON.parse(secret));
}

/**
 * Returns the id of a resource from its inputs.
 * @returns undefined if it can safely be created again, or if the server generates the id
 */
function idFromInputs(type: string, inputs: Inputs): string | undefined {
  if (type.startsWith("kubernetes:")) {
    const { name, namespace } = (inputs["metadata"] ?? {}) as { name?: string; namespace?: string };
    return namespace === undefined ? name : `${namespace}/${name}`;
  }
  const text = (key: string): string => String(inputs[key]);
  switch (type) {
    case "postgresql:index/role:Role":
    case "postgresql:index/database:Database":
      return text("name");
    case "postgresql:index/schema:Schema":
      return `${text("database")}.${text("name")}`;
    default:
      return undefined;
  }
}
