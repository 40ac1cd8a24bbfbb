/** Names of the plan. A name depends on its own service and domain only, so that a change of others renames nothing. */
import type { Settings, Tls } from "../../config/settings.ts";
import { shortHash } from "../shortHash.ts";
import { dnsLabel } from "./dnsLabel.ts";

/** Prefix of objects that the stack adds; the configuration rejects services with it. */
const OWN = "gatehouse";

/** Name of the port of each Service that the stack deploys. */
export const PORT_NAME = "http";

/** Returns `<service>@<domain kind>`. */
export function exposureId(service: string, domain: string): string {
  return `${service}@${domain}`;
}

/** Returns the name of the IngressRoute of a service on domains that share a termination of TLS. A dot separates the certificate's name from the service's. */
export function routeName(service: string, tls: Tls | undefined): string {
  return tls === undefined ? dnsLabel(service) : dnsLabel(OWN, "tls", service) + certificateOf(tls);
}

/** Returns the name of the IngressRoute of a host that the stack adds. */
export function ownRouteName(role: string, tls: Tls | undefined): string {
  return tls === undefined ? dnsLabel(OWN, role) : dnsLabel(OWN, role, "tls") + certificateOf(tls);
}

/** Returns the name of the IngressRoute of the outpost's path on the hosts of one domain. */
export function outpostRouteName(domain: string): string {
  return dnsLabel(OWN, "outpost", domain);
}

/** Returns the name and slug of the provider that signs `X-idp-jwt`. */
export function identitySlug(settings: Settings): string {
  return dnsLabel(OWN, "identity", ...stackSuffix(settings));
}

/**
 * Returns the name of an outpost in the identity provider, and of its Deployment and Service: readable by the groups, unique by a hash of all that
 * its providers share.
 * @param groups sorted; empty = all users
 * @param session session length, e.g. `hours=12`
 * @param scheme `http` or `https`
 * @param number 0, or more where the same combination needs several outposts
 */
export function outpostName(
  settings: Settings,
  groups: readonly string[],
  session: string,
  scheme: string,
  number: number,
): string {
  const readable = groups.length === 0 ? "all-users" : slug(groups.join("-")) || "groups";
  return dnsLabel(OWN, "outpost", ...stackSuffix(settings), readable, hashOf([groups, session, scheme, number]));
}

/**
 * Returns the name of the provider of an application behind forward auth: its slug, and a hash of all that decides its outposts. A service with other
 * groups gets a new provider, so that codes and tokens of the old one are of no use (docs/decisions/006-outposts.md).
 * @param groups sorted; empty = all users
 * @param session session length, e.g. `hours=12`
 * @param scheme `http` or `https`
 */
export function providerName(slug: string, groups: readonly string[], session: string, scheme: string): string {
  return `${slug}-${hashOf([groups, session, scheme])}`;
}

/**
 * Returns the name of the policy that admits the members of some groups, in the identity provider.
 * @param groups sorted
 */
export function groupPolicyName(settings: Settings, groups: readonly string[]): string {
  return dnsLabel(OWN, "groups", ...stackSuffix(settings), slug(groups.join("-")) || "groups", hashOf(groups));
}

/** Returns the namespace of the outposts: with an installed identity provider its own, else one of the stack. */
export function outpostNamespace(settings: Settings): string {
  const { install, namespace } = settings.identityProvider;
  return install ? namespace : dnsLabel(OWN, "outposts", ...stackLabel(settings.stack));
}

/** Returns the suffix of names in the identity provider, which differs for stacks that share it. */
export function stackSuffix({ stack, identityProvider }: Settings): string[] {
  return identityProvider.install ? [] : stackLabel(stack);
}

function hashOf(identity: unknown): string {
  return shortHash(JSON.stringify(identity));
}

/** Returns the value of the label of the stack's domain records. */
export function recordOwner(stack: string): string {
  return dnsLabel(OWN, ...stackLabel(stack));
}

/** Returns a stack's name for a label. One with characters that a label excludes ends in its hash: `prod_eu` and `prod-eu` are two stacks. */
function stackLabel(stack: string): string[] {
  const readable = slug(stack);
  return readable === stack ? [stack] : [readable, hashOf(stack)];
}

/** Returns a text with letters, digits and single dashes only, as in a DNS label. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function certificateOf(tls: Tls): string {
  return "name" in tls ? `.${tls.termination}-${tls.name}` : "";
}
