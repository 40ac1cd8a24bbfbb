/** All names that the plan gives out. A name depends on its own service and domain only, so nothing is renamed when others come and go. */
import { createHash } from "node:crypto";

/** Longest DNS label (RFC 1123), and so the longest name of most Kubernetes objects. */
const LABEL_LENGTH = 63;
const HASH_LENGTH = 8;

/** Prefix of what the stack brings along; the configuration refuses services with it. */
const OWN = "gatehouse";

/**
 * Joins parts with `-` to a DNS label. What is too long ends in a hash of the whole instead of its end.
 * @param parts lower-case labels
 */
export function dnsLabel(...parts: readonly string[]): string {
  const name = parts.join("-");
  if (name.length <= LABEL_LENGTH) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const head = name.slice(0, LABEL_LENGTH - HASH_LENGTH - 1).replace(/-+$/, "");
  return `${head}-${hash}`;
}

/** `<service>@<domain kind>`. */
export function exposureId(service: string, domain: string): string {
  return `${service}@${domain}`;
}

/** Slug of a proxy application: one per exposure, since the identity provider ties an application to one host. */
export function proxySlug(applicationSlug: string, domain: string): string {
  return `${applicationSlug}-${domain}`;
}

/** IngressRoute of a service of the list, on its domains with or without TLS. */
export function routeName(service: string, tls: boolean): string {
  return tls ? dnsLabel(OWN, "tls", service) : dnsLabel(service);
}

/** IngressRoute of something that the stack brings along, on its domains with or without TLS. */
export function ownRouteName(role: "test" | "identity-provider" | "data-api", tls: boolean): string {
  return tls ? dnsLabel(OWN, role, "tls") : dnsLabel(OWN, role);
}

/** IngressRoute of the outpost's path on the hosts of one domain. */
export function outpostRouteName(domain: string): string {
  return dnsLabel(OWN, "outpost", domain);
}
