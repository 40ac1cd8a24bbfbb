/** Domain kinds: the domains on which services are exposed (docs/configuration.md, `gatehouse:domains`). */
import { z } from "zod";
import { check, type Draft, isLeftOut } from "../../schema/draft.ts";
import { label, nonEmptyText, port, subdomain } from "../../schema/fields.ts";
import { isSection, join, type Location, within } from "../../errors/location.ts";
import { type Problem, problem, repeated } from "../../errors/problems.ts";
import type { Section } from "../section.ts";
import type { Variables } from "../../variables/variables.ts";
import { isDnsName, isTailnet } from "../../schema/dnsName.ts";
import { canonicalAddress, isKubernetesAddress } from "../../schema/networks.ts";

/** The domain kinds with default values. */
export const KNOWN_KINDS: readonly string[] = ["localhost", "mesh", "external"];

const domainFields = {
  enabled: z.boolean().describe("Exposes services on this domain."),
  base_domain: nonEmptyText().describe("Base domain of every host, `<name>.<base_domain>`; may be a ${VARIABLE}."),
  protocol: z.enum(["http", "https"]).describe("Protocol of every URL of this domain."),
  description: nonEmptyText().describe("What the domain is for."),
  port: port().optional().describe("Port in every URL; a number or a ${VARIABLE}. Default: the port of the protocol."),
  targets: z
    .array(nonEmptyText())
    .default([])
    .describe(
      "Targets of the DNS records of the domain: IP addresses, or one DNS name, as text or ${VARIABLE}. Without targets there are no records.",
    ),
  tls: z
    .union(
      [z.literal("upstream"), z.strictObject({ resolver: label() }), z.strictObject({ secret: subdomain() })],
      "upstream, { resolver: NAME } or { secret: NAME }; use one of them",
    )
    .optional()
    .describe(
      "Certificate of an https domain: `{ resolver: NAME }` is a certificate resolver of Traefik, `{ secret: NAME }` a TLS Secret in the namespace of each route, `upstream` a proxy in front of the gateway that terminates TLS. Default: Traefik's default certificate.",
    ),
};
/** `localhost`, `mesh` and `external`: every field has a default, apart from the base domain of an enabled remote one. */
const knownDomain = z.strictObject({
  ...domainFields,
  enabled: domainFields.enabled
    .optional()
    .describe("Exposes services on this domain. Default: true for localhost, false for mesh and external."),
  base_domain: domainFields.base_domain
    .optional()
    .describe(
      "Base domain of every host, `<name>.<base_domain>`; may be a ${VARIABLE}. Required when the domain is enabled. Default: localhost for localhost, none for mesh and external.",
    ),
  protocol: domainFields.protocol
    .optional()
    .describe("Protocol of every URL of this domain. Default: http for localhost, https for mesh and external."),
  description: domainFields.description.optional().describe("What the domain is for."),
});
/** A custom kind has no defaults. */
const customDomain = z.strictObject(domainFields);

export const domains = {
  schema: z
    .object({
      localhost: knownDomain.describe("Development: `http://<name>.localhost`.").optional(),
      mesh: knownDomain.describe("A private mesh network: `https://<name>.<base_domain>`.").optional(),
      external: knownDomain.describe("A public DNS domain: `https://<name>.<base_domain>`.").optional(),
    })
    .catchall(customDomain.describe("A custom kind.")),
  description: "Domain kinds: the domains on which services are exposed.",
  required: true,
  example: `
gatehouse:domains:
  localhost: { enabled: true }
  mesh: { enabled: true, base_domain: tail1234.ts.net, tls: upstream }
  external:
    enabled: true
    base_domain: example.org
    targets: [203.0.113.7]
    tls: { resolver: letsencrypt }
  partner: { enabled: true, base_domain: partner.example.net, protocol: https, description: A custom kind }
`,
  text: `
- The name of a custom kind has at most 20 characters of a-z, 0-9 and \`-\`, and is not \`auto\`.
- The base domain of \`localhost\` is \`localhost\` or below it, since this domain has test hosts, sample users and images without digests.
- Each enabled domain has its own base domain. A service that lists a domain which is not enabled is skipped there, with a warning.
- \`targets\` create one \`DNSEndpoint\` per domain kind, for ExternalDNS, with the label \`gatehouse.dev/owner: gatehouse-<stack>\`.
- \`tls\` requires \`protocol: https\`. If TLS is terminated at the gateway, HTTP is redirected to HTTPS. With \`upstream\` the routes listen on HTTP, and Traefik must
  trust the address of the proxy ([prerequisites](prerequisites.md#client-addresses-behind-a-proxy)).
- A private network without wildcard names (\`<tailnet>.ts.net\`) needs a node for each service. The base domain must be the tailnet itself, without \`targets\`.
  \`npx gatehouse plan\` lists the names.
`,
} satisfies Section;

export type DomainDraft = Draft<z.output<typeof knownDomain>>;
export type Domain = Readonly<ReturnType<typeof toDomain>>;

/** Certificate and termination of TLS: `default` = Traefik's default certificate, `upstream` = before the gateway, which then receives HTTP. */
export type Tls =
  | { readonly termination: "default" | "upstream" }
  | { readonly termination: "resolver" | "secret"; readonly name: string };

interface Drafts {
  /** In the same order as `settings`. */
  readonly domains: readonly DomainDraft[];
  readonly settings: readonly Domain[];
}

/** Checks the section `domains`. Without it, which is a problem itself, localhost is the only domain. */
export function checkDomains(section: unknown = { localhost: {} }, problems: Problem[]): DomainDraft[] {
  if (!isSection(section)) {
    problems.push({
      path: "domains",
      message: "expected a section",
      hint: "write one key per domain kind, e.g. localhost: {}",
    });
    return checkDomains(undefined, problems);
  }
  const inOrder = Object.entries(section).sort(([a], [b]) => positionOf(a) - positionOf(b) || (a < b ? -1 : 1));
  return inOrder.map(([kind, raw]) => {
    const location = { path: join("domains", kind) };
    if (KNOWN_KINDS.includes(kind)) return check(knownDomain, raw ?? {}, location, problems);
    if (kind === "auto" || !/^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$/.test(kind)) {
      problems.push({
        ...location,
        message: "is not a valid name of a domain kind",
        hint: "use at most 20 of a-z, 0-9 and -, and not auto, which means every enabled domain",
      });
    }
    return check(customDomain, raw, location, problems);
  });
}

/** Returns the position of a kind, known ones first: the engine passes a section with sorted keys, without the order of the file. */
function positionOf(kind: string): number {
  const index = KNOWN_KINDS.indexOf(kind);
  return index < 0 ? KNOWN_KINDS.length : index;
}

/**
 * Returns the settings of a domain kind. An enabled one whose base domain is missing or cannot be filled in has the base domain `""`; the text of a
 * disabled one is unchanged, since nothing depends on it.
 */
export function toDomain(kind: string, { location, fields }: DomainDraft, variables: Variables) {
  const local = kind === "localhost";
  const enabled = fields.enabled ?? local;
  const baseDomain = fields.base_domain ?? (local ? "localhost" : "");
  const targets = fields.targets ?? [];
  const protocol = fields.protocol ?? (local ? "http" : "https");
  return {
    kind,
    enabled,
    baseDomain: enabled ? (variables.plain(baseDomain, within(location, "base_domain")) ?? "") : baseDomain,
    protocol,
    port: enabled && fields.port !== undefined ? variables.port(fields.port, within(location, "port")) : undefined,
    description: fields.description ?? "",
    targets: enabled
      ? targets.flatMap((target, index) => variables.plain(target, within(location, "targets", index)) ?? [])
      : targets,
    tls: protocol === "http" ? undefined : toTls(fields.tls),
  };
}

function toTls(input: z.output<typeof knownDomain>["tls"]): Tls {
  if (input === undefined) return { termination: "default" };
  if (input === "upstream") return { termination: "upstream" };
  return "resolver" in input
    ? { termination: "resolver", name: input.resolver }
    : { termination: "secret", name: input.secret };
}

/** Checks that base domains exist, are DNS names and differ, that targets are addresses, and that TLS has a protocol for it. */
export function domainRules({ domains, settings }: Drafts): Problem[] {
  const owners = new Map<string, string>();
  return settings.flatMap(({ kind, enabled, baseDomain, protocol, targets }, index) => {
    const draft = domains[index];
    if (!enabled || draft === undefined) return [];
    const location = within(draft.location, "base_domain");
    const found = targetRules(within(draft.location, "targets"), targets);
    if (draft.fields.tls !== undefined && protocol === "http") {
      found.push(
        problem(within(draft.location, "tls"), 'requires protocol "https"', "remove tls, or set protocol: https"),
      );
    }
    const owner = owners.get(baseDomain);
    if (baseDomain === "") {
      if (KNOWN_KINDS.includes(kind) && isLeftOut(draft, "base_domain")) {
        found.push(problem(location, `missing, and domain "${kind}" is enabled`, "add it, or set enabled: false"));
      }
    } else if (!isDnsName(baseDomain)) {
      const written = JSON.stringify(draft.fields.base_domain);
      found.push(problem(location, `${written} is not a DNS name in lower case`, "write it like example.org"));
    } else if (kind === "localhost" && !/(^|\.)localhost$/.test(baseDomain)) {
      const message = `"${baseDomain}" is not localhost or below it, and this domain has test hosts, sample users and images without digests`;
      found.push(problem(location, message, "remove it, or use another domain kind"));
    } else if (owner !== undefined) {
      found.push(
        problem(
          location,
          `"${baseDomain}" is already the base domain of "${owner}"`,
          "give each enabled domain its own",
        ),
      );
    } else {
      owners.set(baseDomain, kind);
    }
    return found;
  });
}

/** Checks that targets are IP addresses or one DNS name: a name with a CNAME record has no other record (RFC 1034, 3.6.2). */
function targetRules(location: Location, targets: readonly string[]): Problem[] {
  const found = targets
    .filter((target) => !isKubernetesAddress(target) && !isDnsName(target))
    .map(() =>
      problem(
        location,
        "contains a value that no DNS record can have",
        "use an IP address without a zone or ::ffff:, or a DNS name",
      ),
    );
  if (targets.some(isDnsName) && new Set(targets).size > 1) {
    const message = "contains a DNS name and another target, and a name with a CNAME record has no other record";
    found.push(problem(location, message, "use IP addresses, or one DNS name"));
  }
  if (repeated(targets.map(canonicalAddress)).size > 0)
    found.push(problem(location, "contains a target twice", "list each target once"));
  return found;
}

/**
 * Warns of plain HTTP on other domains than localhost and a tailnet, which encrypts its connections, and of base domains below another one. A browser rejects
 * cookies for a name without a dot, such as localhost.
 */
export function domainWarnings(domains: readonly Domain[]): string[] {
  const enabled = domains.filter((domain) => domain.enabled);
  const plain = enabled.filter(
    ({ protocol, baseDomain }) => protocol === "http" && !/(^|\.)localhost$/.test(baseDomain) && !isTailnet(baseDomain),
  );
  return [...plain.map(({ kind }) => unencrypted(kind)), ...nested(enabled)];
}

function unencrypted(kind: string): string {
  return `domains.${kind}: protocol http sends passwords, sessions and identity headers unencrypted. Set protocol: https.`;
}

function nested(enabled: readonly Domain[]): string[] {
  return enabled.flatMap(({ kind, baseDomain }) =>
    enabled
      .filter((other) => other.baseDomain.includes(".") && baseDomain.endsWith(`.${other.baseDomain}`))
      .map(
        (other) =>
          `domains.${kind}: ${baseDomain} is below ${other.baseDomain} of domains.${other.kind}, so that an application on either can set ` +
          "cookies for the hosts of the other. Put applications that you do not trust below another registrable domain (SECURITY.md, Not defended).",
      ),
  );
}
