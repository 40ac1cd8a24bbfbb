/** Hosts that an outpost of authentik serves itself: its providers of mode `proxy` request the application. */
import type { Backend } from "../../config/backend.ts";
import { at, type Manifest } from "../../policy/resource.ts";
import { EMBEDDED_OUTPOST, type OutpostRecord } from "../clients/identityRecords.ts";
import { labelsIn, objectLabels, matches, serviceNamed } from "../clients/services.ts";
import { readBackend } from "./backend.ts";

/** Labels that the Helm chart gives the pods of the server. */
const SERVER_PODS = { "app.kubernetes.io/name": "authentik", "app.kubernetes.io/component": "server" };

/** The outpost that a Service routes to. */
export interface ServiceOutpost {
  /** Whether it is the embedded one, in the server of authentik. */
  readonly embedded: boolean;
  /** Returns whether a record is of this outpost. */
  readonly is: (record: Pick<OutpostRecord, "pk" | "managed">) => boolean;
}

/**
 * Returns the outpost that a Service routes to: authentik's controller labels those that it creates (authentik/outposts/controllers/k8s/base.py),
 * and the server of the Helm chart contains the embedded one. Undefined for any other Service, e.g. of an outpost that was deployed by hand.
 */
export function outpostOf(backend: Backend, manifests: readonly Manifest[]): ServiceOutpost | undefined {
  const service = serviceNamed(backend, manifests);
  if (service === undefined) return undefined;
  if (matches(SERVER_PODS, labelsIn(service.spec["selector"])))
    return { embedded: true, is: ({ managed }) => managed === EMBEDDED_OUTPOST };
  const uuid = objectLabels(service)["goauthentik.io/outpost-uuid"];
  return uuid === undefined ? undefined : { embedded: false, is: ({ pk }) => pk.replaceAll("-", "") === uuid };
}

/**
 * Returns the Service that a provider requests, or why it cannot be the `service` of an entry.
 * @param url its `internal_host`, e.g. `http://wiki.apps.svc.cluster.local:8080`
 */
export function internalBackend(url: string, manifests: readonly Manifest[]): Backend | string {
  const address = URL.parse(url);
  const label = `the internal host ${address?.host ?? ""} of its provider`;
  const [name = "", namespace, ...domain] = address?.hostname.split(".") ?? [];
  const isService = namespace !== undefined && ["", "svc", "svc.cluster.local"].includes(domain.join("."));
  if (address === null || !isService) return `${label} names no Service with its namespace`;
  if (address.protocol !== "http:") return `${label} is reached over HTTPS`;
  if (address.pathname !== "/") return `${label} has a path`;
  // Without an address of its own, authentik requests the port of a pod, and Traefik that of the Service.
  if (at(serviceNamed({ namespace, name }, manifests)?.spec, "clusterIP") === "None")
    return `${label} is a headless Service`;
  const port = Number(address.port || 80);
  const { backend, problems } = readBackend([{ name, namespace, port }], namespace, manifests);
  return backend ?? problems.join("; ");
}
