/** Reads what an import needs from a cluster and an authentik. Only reads. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { errorText } from "../../config/errors/errorText.ts";
import { at, type Manifest, textAt } from "../../manifests/resource.ts";
import { readClusterObjects, RIGHTS_HINT } from "../clients/clusterObjects.ts";
import { UserError } from "../../config/errors/userError.ts";
import { type IdentityRecords, readIdentityRecords, requireSuperuser } from "../clients/identityRecords.ts";
import { readTraefik } from "../../infra/prerequisites/cluster.ts";
import { optionsOf } from "../../infra/prerequisites/staticOptions.ts";
import type { TargetStack } from "./target.ts";
import { serversOf } from "./server.ts";
import type { Source } from "./source.ts";

/** Kinds that decide nothing here. */
const NOT_NEEDED = new Set([
  "Pod",
  "NetworkPolicy",
  "DNSEndpoint",
  "TLSOption",
  "TLSStore",
  "EndpointSlice",
  "Gateway",
  "GatewayClass",
]);

/** URL and token of authentik, or the reason why it is not read. */
export type IdentityAccess = { readonly url: string; readonly token: string } | string;

/**
 * Reads what an import needs of the cluster and of authentik.
 * @throws UserError when a kind cannot be read: a route that is not known may be in front of an imported one
 */
export async function readSource(
  kubeConfig: KubeConfig,
  identity: IdentityAccess,
  target: TargetStack,
): Promise<Source> {
  const { manifests, unread } = await readClusterObjects(kubeConfig);
  for (const [kind, reason] of unread) {
    if (!NOT_NEEDED.has(kind)) throw new UserError(`every ${kind} could not be read: ${reason}`, RIGHTS_HINT);
  }
  const [users, records, traefik] = await Promise.all([
    readUsers(kubeConfig, manifests),
    readRecords(identity),
    readTraefik(kubeConfig, target.settings.gateway),
  ]);
  const { httpEntryPoint: http, httpsEntryPoint: https } = target.settings.gateway;
  const options = optionsOf(traefik?.args ?? []);
  const servers = serversOf(typeof identity === "string" ? undefined : identity.url, target, manifests);
  return { manifests, users, identity: records, servers, entryPoints: { http, https }, options };
}

async function readRecords(access: IdentityAccess): Promise<IdentityRecords | string> {
  if (typeof access === "string") return access;
  const { url, token } = access;
  try {
    return await withAuthentik(url, token, async (api) => {
      await requireSuperuser(api);
      return readIdentityRecords(api);
    });
  } catch (error) {
    return `authentik at ${url} cannot be read (${errorText(error).split("\n", 1)[0]})`;
  }
}

/** Returns the names of the users in the Secrets of basic auth, without the hashes. */
async function readUsers(kubeConfig: KubeConfig, manifests: readonly Manifest[]): Promise<Source["users"]> {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const secrets = manifests.flatMap(({ kind, namespace, spec }) => {
    const name = textAt(spec, "basicAuth", "secret");
    return kind === "Middleware" && name !== undefined ? [{ namespace, name }] : [];
  });
  const read = secrets.map(async ({ namespace, name }): Promise<[string, readonly string[] | string]> => {
    try {
      const secret: unknown = await core.readNamespacedSecret({ namespace, name });
      return [`${namespace}/${name}`, userNames(secret)];
    } catch (error) {
      const { code } = error as { code?: number };
      const reason =
        code === 403 ? "allow the user to get this Secret" : code === 404 ? "it does not exist" : errorText(error);
      return [`${namespace}/${name}`, reason];
    }
  });
  return new Map(await Promise.all(read));
}

/** Returns the names in a Secret of basic auth (Traefik docs, "BasicAuth", users). */
export function userNames(secret: unknown): readonly string[] | string {
  const data = Object.entries((at(secret, "data") ?? {}) as Record<string, string>);
  const decode = (text: string): string => Buffer.from(text, "base64").toString();
  if (textAt(secret, "type") === "kubernetes.io/basic-auth") {
    const name = data.find(([key]) => key === "username")?.[1];
    return name === undefined ? "it has no username" : [decode(name)];
  }
  const [first, ...others] = data;
  if (first === undefined || others.length > 0) return `it has ${data.length} keys, and Traefik reads Secrets with one`;
  const lines = decode(first[1])
    .split("\n")
    .map((line) => line.trim());
  return lines.flatMap((line) => (line === "" || line.startsWith("#") ? [] : [line.split(":", 1)[0] ?? ""]));
}
