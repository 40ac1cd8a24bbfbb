/** Hosts that an outpost of authentik serves itself: its providers of mode `proxy` request the application. */
import type { Backend } from "../../config/backend.ts";
import { at, type Manifest } from "../../policy/resource.ts";
import { readBackend, serviceNamed } from "./backend.ts";

/**
 * Returns whether a Service leads to an outpost: authentik's controller labels those that it creates (authentik/outposts/controllers/k8s/base.py),
 * and the server of the Helm chart contains the embedded one.
 */
export function isOutpost({ namespace, name }: Backend, manifests: readonly Manifest[]): boolean {
  const service = serviceNamed(namespace, name, manifests);
  const selects = (label: string): unknown => at(service?.spec, "selector", `app.kubernetes.io/${label}`);
  return (
    at(service?.props, "metadata", "labels", "goauthentik.io/outpost-type") === "proxy" ||
    (selects("name") === "authentik" && selects("component") === "server")
  );
}

/**
 * Returns the Service that a provider requests, or why it cannot be the `service` of an entry.
 * @param url its `internal_host`, e.g. `http://wiki.apps.svc.cluster.local:8080`
 */
export function internalBackend(url: string, manifests: readonly Manifest[]): Backend | string {
  const address = URL.parse(url);
  const [name, namespace, ...domain] = address?.hostname.split(".") ?? [];
  const isService = namespace !== undefined && ["", "svc", "svc.cluster.local"].includes(domain.join("."));
  if (address === null || !isService) return `${url} is no Service of the cluster`;
  if (address.protocol !== "http:") return `${url} is reached over HTTPS`;
  if (address.pathname !== "/") return `${url} has a path`;
  const { backend, problems } = readBackend(
    [{ name, namespace, port: Number(address.port || 80) }],
    namespace,
    manifests,
  );
  return backend ?? problems.join("; ");
}
