/** Writes entries of `protected_services` for the routes and applications that exist. Pure. */
import { parseStack, type RawStack } from "../../config/load.ts";
import { isWithin } from "../../config/errors/location.ts";
import { ConfigError } from "../../config/errors/problems.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { fieldsOf, objectLabel } from "../../manifests/resource.ts";
import { valueOf } from "../context/context.ts";
import { DomainKinds, type NewKind } from "./domainKinds.ts";
import { type ImportedEntry, mergeHosts, omittedRedirects, type PlacedHost } from "./entries.ts";
import { hostCandidate } from "./hosts.ts";
import { readChain } from "./middlewares.ts";
import { routesOf } from "./routes.ts";
import type { IdentityRecords } from "../clients/identityRecords.ts";
import { nameOf, type Source, type SourceRoute } from "./source.ts";
import type { TargetStack } from "./target.ts";

interface Round {
  readonly entries: readonly ImportedEntry[];
  readonly kinds: readonly NewKind[];
  /** What changes when Gatehouse serves a host, by host. */
  readonly differences: ReadonlyMap<string, readonly string[]>;
}

export interface Import extends Round {
  readonly mapped: readonly SourceRoute[];
  /** The other routes, each with its reasons. */
  readonly unmapped: ReadonlyMap<SourceRoute, readonly string[]>;
  readonly plan: Plan;
}

/**
 * Imports what can be written without a change of access. A host is imported as a whole or not at all: an entry serves all of its paths. So is
 * a route, because it is removed as a whole.
 */
export function importServices(source: Source, target: TargetStack): Import {
  return new Importer(source, target).run();
}

class Importer {
  readonly #source: Source;
  readonly #target: TargetStack;
  readonly #routes: readonly SourceRoute[];
  readonly #reasons = new Map<SourceRoute, Set<string>>();

  constructor(source: Source, target: TargetStack) {
    this.#source = source;
    this.#target = target;
    const own = new Set(target.plan.routes.map((route) => objectLabel("IngressRoute", route)));
    this.#routes = routesOf(source).filter(({ manifest }) => !own.has(manifest.label));
  }

  run(): Import {
    for (const route of this.#routes) {
      const { problems } = readChain(route.middlewares, this.#source);
      for (const problem of [...route.problems, ...problems]) this.#refuse([route], problem);
    }
    for (;;) {
      const before = this.#reasons.size;
      this.#refuseWholeHosts();
      const round = this.#round();
      const plan = this.#reasons.size === before ? this.#planned(round) : undefined;
      if (plan === undefined) continue;
      const mapped = this.#routes.filter((route) => !this.#reasons.has(route));
      const unmapped = new Map([...this.#reasons].map(([route, reasons]) => [route, [...reasons]]));
      return { ...round, mapped, unmapped, plan };
    }
  }

  /** Refuses hosts of which a route is refused, and hosts that a refused route can serve before their own. */
  #refuseWholeHosts(): void {
    for (const [host, routes] of this.#hosts()) {
      const refused = routes.find((route) => this.#reasons.has(route));
      if (refused) this.#refuse(routes, `another route of ${host} cannot be imported: ${nameOf(refused)}`);
      const priority = Math.min(...routes.map((route) => route.priority));
      const protocols = new Set(routes.flatMap((route) => [...route.protocols]));
      const earlier = [...this.#reasons.keys()].find(
        (other) =>
          !routes.includes(other) &&
          other.priority >= priority &&
          !protocols.isDisjointFrom(other.protocols) &&
          other.serves(host),
      );
      if (earlier) this.#refuse(routes, `another route may serve ${host} before it: ${nameOf(earlier)}`);
    }
  }

  #round(): Round {
    const { plan, settings } = this.#target;
    const existing = new Set(plan.exposures.map(({ host }) => host));
    const candidates = [...this.#hosts()].flatMap(([host, routes]) => {
      if (routes.some((route) => this.#reasons.has(route))) return [];
      const found = existing.has(host)
        ? `${host} is already a host of the stack`
        : hostCandidate(host, routes, this.#source);
      if (typeof found !== "string") return [found];
      this.#refuse(routes, found);
      return [];
    });
    const domains = new DomainKinds(settings.domains, candidates);
    const differences = new Map<string, readonly string[]>();
    const placed = candidates.flatMap((candidate): PlacedHost[] => {
      const assignment = domains.assign(candidate);
      if (typeof assignment === "string") {
        this.#refuse(candidate.routes, assignment);
        return [];
      }
      differences.set(candidate.host, [...candidate.differences, ...assignment.differences]);
      return [{ candidate, kind: assignment.kind }];
    });
    const { identity } = this.#source;
    const { entries, refused } = mergeHosts(placed, new Set(typeof identity === "string" ? [] : takenSlugs(identity)));
    for (const [candidate, reason] of refused) this.#refuse(candidate.routes, reason);
    for (const entry of entries) {
      const omitted = omittedRedirects(entry);
      for (const { host } of entry.hosts) differences.set(host, [...(differences.get(host) ?? []), ...omitted]);
    }
    return { entries, kinds: domains.added(new Set(placed.map(({ kind }) => kind))), differences };
  }

  /** Returns the plan with the entries; undefined if the configuration rejects some of them, which are then refused. */
  #planned({ entries, kinds }: Round): Plan | undefined {
    const { raw, environment } = this.#target;
    const existing = servicesIn(raw.config);
    const config = withEntries(raw, entries, kinds);
    try {
      return computePlan(parseStack({ ...raw, config }, environment, { secretsRequired: false }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const rejected = error.problems.flatMap(({ path, message }) => {
        const index = Number(/^protected_services\[(\d+)\]/.exec(path)?.[1] ?? NaN) - existing.length;
        const kind = kinds.find((one) => isWithin(path, `domains.${one.kind}`));
        const of = entries.filter((entry, at) => at === index || (kind && kindsOf(entry).includes(kind.kind)));
        return of.map((entry) => ({ entry, reason: `${entry.fields.name}: ${message}` }));
      });
      if (rejected.length === 0) throw error;
      for (const { entry, reason } of rejected) {
        this.#refuse(
          entry.hosts.flatMap(({ routes }) => routes),
          reason,
        );
      }
      return undefined;
    }
  }

  /** Returns the hosts that routes name, each with its routes. */
  #hosts(): Map<string, SourceRoute[]> {
    const hosts = new Set(this.#routes.flatMap((route) => route.hosts));
    return new Map([...hosts].sort().map((host) => [host, this.#routes.filter((route) => route.hosts.includes(host))]));
  }

  /** Adds a reason to routes. One that follows from other routes is not added to a reason of the route itself. */
  #refuse(routes: readonly SourceRoute[], reason: string): void {
    for (const route of routes) {
      const reasons = this.#reasons.get(route);
      if (reasons === undefined) this.#reasons.set(route, new Set([reason]));
      else if (!reason.startsWith("another route")) reasons.add(reason);
    }
  }
}

/** The domains of a stack file without that section. */
export const DEFAULT_DOMAINS = { localhost: {} };

/** Returns the configuration of a stack with more entries and domain kinds. */
export function withEntries(
  { config }: RawStack,
  entries: readonly ImportedEntry[],
  kinds: readonly NewKind[],
): RawStack["config"] {
  const services = [...servicesIn(config), ...entries.map(({ fields }) => fields)];
  const domains = fieldsOf(valueOf(config["gatehouse:domains"]) ?? DEFAULT_DOMAINS);
  const added = Object.fromEntries(kinds.map((kind) => [kind.kind, kindFields(kind)]));
  return {
    ...config,
    "gatehouse:domains": { value: { ...domains, ...added } },
    "gatehouse:protected_services": { value: services },
  };
}

/** Returns the fields of a new domain kind, as the stack file has them. */
export function kindFields({ kind, baseDomain, protocol, tls }: NewKind): Readonly<Record<string, unknown>> {
  const certificate =
    tls && "name" in tls ? { [tls.termination]: tls.name } : tls?.termination === "upstream" ? "upstream" : undefined;
  return {
    enabled: true,
    ...(kind === "localhost" ? {} : { base_domain: baseDomain }),
    protocol,
    description: `Hosts on ${baseDomain}`,
    ...(certificate === undefined ? {} : { tls: certificate }),
  };
}

function kindsOf({ fields }: ImportedEntry): readonly string[] {
  return fields["domains"] as readonly string[];
}

function servicesIn(config: RawStack["config"]): readonly unknown[] {
  const value = valueOf(config["gatehouse:protected_services"]);
  return Array.isArray(value) ? value : [];
}

/** Returns slugs of applications, and names of providers: that of a client that the stack creates is its slug. */
function takenSlugs({ applications, proxies, clients }: IdentityRecords): string[] {
  return [...applications.map(({ slug }) => slug), ...[...proxies, ...clients].map(({ name }) => name)];
}
