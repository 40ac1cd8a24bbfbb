/** Where the authentik that was read is in the cluster. Pure. */
import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import { at, listOf, type Manifest } from "../../manifests/resource.ts";
import { rulesOf } from "../../manifests/routing.ts";
import { authentikOrigin } from "../context/context.ts";
import { serviceNamed } from "../clients/services.ts";
import type { TargetStack } from "./target.ts";

/** A Service, or the host and port of another address. */
export type Server = Pick<Backend, "namespace" | "name"> | string;

/** Hosts that are another machine for Traefik than for the deploying machine. */
const LOOPBACK = /^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Returns the servers of the authentik at a URL: its own address, and the Services that the stack file names or that a route of its host has.
 * @param url undefined = it was not read
 */
export function serversOf(
  url: string | undefined,
  target: Pick<TargetStack, "settings" | "plan">,
  manifests: readonly Manifest[],
): Server[] {
  if (url === undefined) return [];
  const isOfStack = [authentikOrigin(target), target.plan.identityProviderUrl].includes(url);
  const urls = [url, ...(isOfStack ? [target.plan.identityProviderUrl] : [])];
  const addresses = urls.flatMap((one) => URL.parse(one ?? "") ?? []);
  const own = isOfStack ? target.plan.exposures.filter(({ role }) => role === "identity-provider") : [];
  const rules = manifests
    .flatMap(rulesOf)
    .filter(({ hosts }) => addresses.some(({ hostname }) => hosts?.has(hostname)));
  const services = [
    ...own.map(({ backend }) => backend),
    ...rules.flatMap(({ backends }) => backends).filter(({ kind }) => kind === "Service"),
  ];
  const hosts = addresses.filter(({ hostname }) => !LOOPBACK.test(hostname)).map(({ host }) => host);
  return [...hosts, ...services.map(({ namespace, name }) => ({ namespace, name }))];
}

/** Returns the server that a URL names from within the cluster. */
export function serverAt({ host, hostname }: URL, manifests: readonly Manifest[]): Server {
  const ip = hostname.replace(/^\[(.*)\]$/, "$1");
  const found = manifests.find(({ kind, spec }) => {
    return kind === "Service" && [at(spec, "clusterIP"), ...listOf(at(spec, "clusterIPs"))].includes(ip);
  });
  if (found?.objectName !== undefined) return { namespace: found.namespace, name: found.objectName };
  const service = serviceIn(hostname);
  if (service === undefined) return host;
  // `login.example` may be a name of public DNS.
  const isSure = hostname.includes(".svc") || serviceNamed(service, manifests) !== undefined;
  return isSure ? service : host;
}

/** Returns the Service that a host name with a namespace names, e.g. `wiki.apps.svc.cluster.local`. */
export function serviceIn(hostname: string): Pick<Backend, "namespace" | "name"> | undefined {
  const [name = "", namespace, ...domain] = hostname.split(".");
  const isService = namespace !== undefined && ["", "svc", "svc.cluster.local"].includes(domain.join("."));
  return isService ? { namespace, name } : undefined;
}

/** Returns whether two addresses are those of the same server. */
export function isSameServer(one: Server, other: Server): boolean {
  return textOf(one) === textOf(other);
}

/** Returns a server as messages name it: its host, or `Service default/authentik`. */
export function textOf(server: Server): string {
  return typeof server === "string" ? server : `Service ${server.namespace}/${server.name}`;
}
