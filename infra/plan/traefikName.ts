/**
 * Returns the name that Traefik's provider gives to a middleware, to the service of a TraefikService (namespace, name) or to that of a Service
 * (namespace, name, port). It joins the parts with hyphens, so that objects of different namespaces can have the same name (traefik v3.7, pkg/provider/kubernetes/crd, `fullServiceName`;
 * pkg/provider, `Normalize`).
 */
export function traefikName(...parts: readonly (string | number)[]): string {
  return parts
    .join("-")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "")
    .join("-");
}
