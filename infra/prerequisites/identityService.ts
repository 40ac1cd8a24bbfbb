/** The Kubernetes Service of an existing authentik, to whose cluster IP the outposts connect (infra/identity/authentik.ts). */
import type { KubeConfig, V1ServiceSpec } from "@kubernetes/client-node";
import type { IdentityProvider } from "../../config/settings.ts";
import type { Named, PrerequisiteResult } from "./prerequisite.ts";
import { readable } from "./readable.ts";

/** `clusterIP` is `None` for a headless Service, and undefined for an ExternalName. */
export type IdentityService = Pick<V1ServiceSpec, "clusterIP" | "ports">;

type Provider = Pick<IdentityProvider, "namespace" | "service">;

/** Reads the Service of a stack that names one; null if it does not exist, undefined if the user may not read it. */
export async function readIdentityService(
  config: KubeConfig,
  { namespace, service }: Provider,
): Promise<IdentityService | null | undefined> {
  if (service === undefined) return undefined;
  const { CoreV1Api } = await import("@kubernetes/client-node");
  const reading = config.makeApiClient(CoreV1Api).readNamespacedService({ name: service.name, namespace });
  return readable(
    readable(reading, [404]).then((found) => found?.spec ?? null),
    [403],
  );
}

/** Returns whether the Service has a cluster IP and the port; none for a stack without a Service. */
export function identityService(provider: Provider, found: IdentityService | null | undefined): Named[] {
  return provider.service
    ? [{ name: "Service of authentik", result: compared(provider.namespace, provider.service, found) }]
    : [];
}

function compared(
  namespace: string,
  { name, port }: NonNullable<Provider["service"]>,
  found: IdentityService | null | undefined,
): PrerequisiteResult {
  const entry = "identity_provider.service";
  const service = `Service ${namespace}/${name}`;
  if (found === undefined) {
    return { reason: `the user may not read ${service}`, hint: "allow the user to get Services" };
  }
  if (found === null) {
    const hint = "set identity_provider.namespace and identity_provider.service to those of authentik's Service";
    return { entry, problem: `namespace ${namespace} has no Service "${name}"`, hint };
  }
  if (!found.clusterIP || found.clusterIP === "None") {
    const problem = `${service} has no cluster IP, to which the outposts connect`;
    return { entry, problem, hint: "name one that is neither headless nor of type ExternalName" };
  }
  const ports = found.ports ?? [];
  if (ports.some((one) => one.port === port)) return { observed: `${namespace}/${name}, port ${port}` };
  const known = ports.map((one) => (one.name ? `${one.port} (${one.name})` : `${one.port}`)).join(", ");
  return {
    entry: `${entry}.port`,
    problem: `${service} has no port ${port}`,
    hint: `set it to the one with HTTP: ${known}`,
  };
}
