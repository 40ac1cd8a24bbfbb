/** The outposts of authentik: those that Traefik asks (forward auth), and those that serve hosts themselves (providers of mode `proxy`). */
import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import { at, type Manifest } from "../../manifests/resource.ts";
import { EMBEDDED_OUTPOST, type OutpostRecord } from "../clients/identityRecords.ts";
import { labelsIn, objectLabels, serviceNamed } from "../clients/services.ts";
import { matchesLabels } from "../../infra/labels.ts";
import { readBackend } from "./backend.ts";
import { isSameServer, type Server, serviceIn } from "./server.ts";
import type { Source } from "./source.ts";

/** Labels that the Helm chart gives the pods of the server. */
const SERVER_PODS = { "app.kubernetes.io/name": "authentik", "app.kubernetes.io/component": "server" };

export interface ServiceOutpost {
  /** Whether it is the embedded one, in the server of authentik. */
  readonly embedded: boolean;
  readonly is: (record: Pick<OutpostRecord, "pk" | "managed">) => boolean;
}

const EMBEDDED: ServiceOutpost = { embedded: true, is: ({ managed }) => managed === EMBEDDED_OUTPOST };

/**
 * Returns the outpost that a server is: authentik's controller labels the Services of those that it creates (authentik/outposts/controllers/k8s/base.py),
 * and the server of the authentik that was read contains the embedded one. Undefined for any other server, e.g. of another authentik, or of an
 * outpost that was deployed by hand.
 */
export function outpostOf(
  server: Server,
  { manifests, servers, identity }: Pick<Source, "manifests" | "servers" | "identity">,
): ServiceOutpost | undefined {
  if (typeof server === "string") return servers.includes(server) ? EMBEDDED : undefined;
  const service = serviceNamed(server, manifests);
  const uuid = service && objectLabels(service)["goauthentik.io/outpost-uuid"];
  if (uuid !== undefined) {
    return { embedded: false, is: ({ pk }) => pk.replaceAll("-", "") === uuid };
  }
  if (servers.some((one) => isSameServer(one, server))) return EMBEDDED;
  // The Helm chart can create several Services of the server. Without records, no entry is written.
  const isNext =
    typeof identity === "string" ||
    servers.some((one) => typeof one !== "string" && one.namespace === server.namespace);
  return isNext && matchesLabels(SERVER_PODS, labelsIn(service?.spec["selector"])) ? EMBEDDED : undefined;
}

/**
 * Returns the Service that a provider requests, or why it cannot be the `service` of an entry.
 * @param url its `internal_host`, e.g. `http://wiki.apps.svc.cluster.local:8080`
 */
export function internalBackend(url: string, manifests: readonly Manifest[]): Backend | string {
  const address = URL.parse(url);
  const label = `the internal host ${address?.host ?? ""} of its provider`;
  const service = address ? serviceIn(address.hostname) : undefined;
  if (address === null || service === undefined) return `${label} names no Service with its namespace`;
  const { namespace, name } = service;
  if (address.protocol !== "http:") return `${label} is reached over HTTPS`;
  if (address.pathname !== "/") return `${label} has a path`;
  // Without its own address, authentik requests the port of a pod, and Traefik that of the Service.
  if (at(serviceNamed(service, manifests)?.spec, "clusterIP") === "None") return `${label} is a headless Service`;
  const port = Number(address.port || 80);
  const { backend, problems } = readBackend([{ name, namespace, port }], namespace, manifests);
  return backend ?? problems.join("; ");
}
