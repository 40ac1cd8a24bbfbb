/** The domain kinds of imported hosts: those of the stack file, and new ones. */
import { newKindName } from "../../config/sections/domains/domainKinds.ts";
import type { Domain, Tls } from "../../config/sections/domains/domains.ts";
import type { HostCandidate } from "./hosts.ts";
import type { Protocol } from "./source.ts";

export interface NewKind {
  readonly kind: string;
  readonly baseDomain: string;
  readonly protocol: Protocol;
  readonly tls: Tls | undefined;
}

type Kind = Pick<Domain, "kind" | "baseDomain" | "protocol" | "tls">;

export class DomainKinds {
  readonly #existing: readonly Domain[];
  readonly #kinds = new Map<string, Kind>();
  readonly #new: NewKind[] = [];

  /** @param candidates all hosts: those of one new base domain share its protocol */
  constructor(existing: readonly Domain[], candidates: readonly HostCandidate[]) {
    this.#existing = existing;
    for (const domain of existing) if (domain.enabled) this.#kinds.set(domain.baseDomain, domain);
    for (const [baseDomain, hosts] of Map.groupBy(candidates, ({ host }) => splitHost(host).baseDomain)) {
      if (this.#kinds.has(baseDomain) || !baseDomain.includes(".") === (baseDomain !== "localhost")) continue;
      if (this.#disabled(baseDomain)) continue;
      const taken = new Set([...existing, ...this.#new].map(({ kind }) => kind));
      const kind = newKind(newKindName(baseDomain, taken), baseDomain, hosts);
      this.#kinds.set(baseDomain, kind);
      this.#new.push(kind);
    }
  }

  /** Returns the new kinds that are used. @param used names of kinds */
  added(used: ReadonlySet<string>): NewKind[] {
    return this.#new.filter(({ kind }) => used.has(kind));
  }

  /** Returns the kind of a host, or why there is none. */
  assign({ host, protocol, both, tls, protocolDifferences }: HostCandidate) {
    const { baseDomain } = splitHost(host);
    const disabled = this.#disabled(baseDomain);
    if (disabled) return `its domain ${baseDomain} is the kind "${disabled.kind}", which is not enabled`;
    const domain = this.#kinds.get(baseDomain);
    if (domain === undefined) return `its host ${host} has no base domain`;
    const onGateway = domain.protocol === "http" || domain.tls?.termination === "upstream" ? "http" : "https";
    if (onGateway !== protocol && !both) {
      return `it is served over ${protocol}, and its domain ${baseDomain} is served over ${onGateway} at the gateway`;
    }
    const same = JSON.stringify(tls) === JSON.stringify(domain.tls) || onGateway === "http";
    const certificate = same ? [] : [`its certificate is that of the domain kind "${domain.kind}"`];
    return { kind: domain.kind, differences: [...protocolDifferences[onGateway], ...certificate] };
  }

  #disabled(baseDomain: string): Domain | undefined {
    return this.#kinds.has(baseDomain) ? undefined : this.#existing.find((one) => one.baseDomain === baseDomain);
  }
}

/** Returns the host label and the base domain of a host. */
export function splitHost(host: string): { readonly label: string; readonly baseDomain: string } {
  const [label = "", ...rest] = host.split(".");
  return { label, baseDomain: rest.join(".") };
}

/** Returns a new kind. With one host on HTTPS the domain has HTTPS; the others are then not served in the same way. */
function newKind(kind: string, baseDomain: string, hosts: readonly HostCandidate[]): NewKind {
  const secure = hosts.find(({ protocol }) => protocol === "https");
  if (secure) return { kind, baseDomain, protocol: "https", tls: secure.tls };
  const upstream = hosts.some((host) => host.upstream);
  return {
    kind,
    baseDomain,
    protocol: upstream ? "https" : "http",
    tls: upstream ? { termination: "upstream" } : undefined,
  };
}
