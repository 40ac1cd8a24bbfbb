/** The hosts of a stack, `<label>.<base domain>`, and what must not be used twice. */
import type { Domain } from "../../config/sections/domains/domains.ts";
import type { Exposure } from "./exposure.ts";
import { testName } from "./slugs.ts";

/** Label of the echo service without authentication (docs/configuration.md, `gatehouse:test_environments`). */
const OPEN_TEST_LABEL = "whoami-public";
/** Maximum lengths of a label and of a name (RFC 1035, 2.3.4). */
const MAX_LENGTH = { label: 63, host: 253 };

/** A host label, and the enabled domain kinds on which the stack uses it. */
export interface HostLabel {
  readonly label: string;
  readonly kinds: readonly string[];
  readonly role: Exposure["role"];
  /** Name of the protected service; undefined for hosts that the stack adds. */
  readonly entry?: string;
}

/** The settings that labels depend on, without those that have a problem. */
interface LabelSettings {
  readonly domains: readonly Domain[];
  readonly services: readonly { readonly name: string; readonly domains: readonly string[] }[];
  readonly identityProvider?:
    | { readonly host?: string; readonly install?: boolean; readonly service?: object }
    | undefined;
  readonly dataApi?:
    | {
        readonly host?: string;
        readonly domains: readonly string[];
        readonly catalog?: { readonly host: string } | undefined;
      }
    | undefined;
  readonly testEnvironments: { readonly enabled: boolean };
}

/** Returns the identity provider first, then the data API with its catalog, the open test host, the services and their test environments. */
export function hostLabels(settings: LabelSettings): HostLabel[] {
  const { services, identityProvider, dataApi, testEnvironments } = settings;
  const enabled = settings.domains.filter((domain) => domain.enabled).map(({ kind }) => kind);
  const local = testEnvironments.enabled ? enabled.filter((kind) => kind === "localhost") : [];
  const added = (label: string | undefined, role: HostLabel["role"], kinds: readonly string[]): HostLabel[] =>
    label === undefined ? [] : [{ label, role, kinds }];
  // The stack routes to an identity provider that it deploys, or that has a Service in the cluster.
  const isRouted = identityProvider?.install !== false || identityProvider.service !== undefined;
  return [
    ...(isRouted ? added(identityProvider?.host, "identity-provider", enabled) : []),
    ...added(dataApi?.host, "data-api", dataApi?.domains ?? []),
    ...added(dataApi?.catalog?.host, "catalog", dataApi?.domains ?? []),
    ...(local.length > 0 ? added(OPEN_TEST_LABEL, "test", local) : []),
    ...services.map(({ name, domains }) => ({ label: name, role: "service" as const, kinds: domains, entry: name })),
    ...(local.length > 0 ? services : []).map(({ name, domains }) => {
      const kinds = local.filter((kind) => domains.includes(kind));
      return { label: testName(name), role: "test" as const, kinds, entry: name };
    }),
  ];
}

/** A label that cannot be used. */
export interface HostConflict {
  readonly label: HostLabel;
  /** Undefined if only the name is used twice: routes and exposures are named by labels. */
  readonly host: string | undefined;
  /**
   * The other use of the host, the length that is exceeded, `url`: an existing identity provider has the host, or `target`: its record would be a
   * CNAME record of itself.
   */
  readonly reason: HostLabel | keyof typeof MAX_LENGTH | "url" | "target";
}

/**
 * Returns one conflict per label and reason. Hosts that the stack adds have precedence, then test environments.
 * @param url of an existing identity provider: a route with its host would receive the sign-ins
 */
export function hostConflicts(
  labels: readonly HostLabel[],
  domains: readonly Domain[],
  url: string | undefined,
): HostConflict[] {
  const signIn = url === undefined ? undefined : new URL(url);
  const baseDomains = domains.filter(({ enabled, baseDomain }) => enabled && baseDomain !== "");
  const inOrder = labels.toSorted((a, b) => precedence(a) - precedence(b));
  const added = new Map(
    inOrder.filter(({ role, kinds }) => role !== "service" && kinds.length > 0).map((label) => [label.label, label]),
  );
  const owners = new Map<string, HostLabel>();
  return inOrder.flatMap((label) => {
    const found = new Map<HostConflict["reason"], HostConflict>();
    for (const { kind, baseDomain, port, targets } of baseDomains) {
      if (!label.kinds.includes(kind)) continue;
      const host = `${label.label}.${baseDomain}`;
      const owner = owners.get(host);
      const report = (reason: HostConflict["reason"]) =>
        found.has(reason) || found.set(reason, { label, host, reason });
      if (label.label.length > MAX_LENGTH.label) report("label");
      else if (host.length > MAX_LENGTH.host) report("host");
      else if (host === signIn?.hostname && label.role !== "identity-provider" && isSamePort(signIn, port))
        report("url");
      else if (targets.includes(host)) report("target");
      if (owner === undefined) owners.set(host, label);
      // Two domains with one base domain are a problem of the domains.
      else if (owner !== label) report(owner);
    }
    const other = label.role === "service" ? added.get(label.label) : undefined;
    if (found.size === 0 && other) return [{ label, host: undefined, reason: other }];
    return [...found.values()];
  });
}

/** Returns whether a domain can have the port of a URL: its own one, or a default port, since HTTP has a redirection where the domain has HTTPS. */
function isSamePort({ port }: URL, own: number | undefined): boolean {
  return port === "" || Number(port) === own;
}

function precedence({ role, entry }: HostLabel): number {
  if (role === "service") return 3;
  if (role === "test") return entry === undefined ? 0 : 2;
  return 1;
}
