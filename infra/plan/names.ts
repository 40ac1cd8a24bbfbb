/** All names that the plan gives out. A name depends on its own service and domain only, so nothing is renamed when others come and go. */
import { createHash } from "node:crypto";
import type { Tls } from "../../config/settings.ts";

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

/** IngressRoute of a service, on the domains that share an end of TLS. A dot keeps a certificate's name apart from the service's. */
export function routeName(service: string, tls: Tls | undefined): string {
  return tls === undefined ? dnsLabel(service) : dnsLabel(OWN, "tls", service) + certificateOf(tls);
}

/** IngressRoute of something that the stack brings along. */
export function ownRouteName(role: string, tls: Tls | undefined): string {
  return tls === undefined ? dnsLabel(OWN, role) : dnsLabel(OWN, role, "tls") + certificateOf(tls);
}

/** IngressRoute of the outpost's path on the hosts of one domain. */
export function outpostRouteName(domain: string): string {
  return dnsLabel(OWN, "outpost", domain);
}

/** Something of the stack's own in the identity provider. Stacks that share one each have their own. */
export function ownSlug(role: "identity" | "nobody", stack: string, install: boolean): string {
  const name = stack.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return install ? dnsLabel(OWN, role) : dnsLabel(OWN, role, name);
}

/** Dedicated outpost: name in the identity provider, and of its Deployment and Service. */
export function outpostName(outpost: number): string {
  return dnsLabel(OWN, "outpost", String(outpost));
}

/** Secret with the credentials of an oauth2 service. */
export function clientSecretName(service: string): string {
  return dnsLabel(service, "oauth2");
}

function certificateOf(tls: Tls): string {
  return "name" in tls ? `.${tls.ends}-${tls.name}` : "";
}
