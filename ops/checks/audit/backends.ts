import { type PlannedBackend, plannedBackends } from "../../../infra/plan/plannedBackends.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { at, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import { type BackendRef, referencesIn } from "../../../manifests/routing.ts";
import { traefikName } from "../../../infra/plan/traefikName.ts";
import { labelsIn, objectLabels, podsOf, serviceNamed } from "../../clients/services.ts";
import { matchesLabels } from "../../../infra/labels.ts";

/** Name of Traefik's provider of custom resources, in references such as `wiki-80@kubernetescrd`. */
const PROVIDER = "kubernetescrd";

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The Services behind the plan's routes, and what else in a cluster routes to their pods. */
export class Backends {
  /** The planned Services that only the gateway may route to, and those of the database server, to which nothing may. */
  readonly guarded: readonly ServiceName[];
  /** Those of them that the stack deploys itself. */
  readonly deployed: readonly PlannedBackend[];
  readonly #manifests: readonly Manifest[];
  readonly #routes: Plan["routes"];
  readonly #gatewayNamespace: string | undefined;

  /** @param databases Services of a server that the stack installs, which no route is for */
  constructor(
    manifests: readonly Manifest[],
    plan: Plan,
    gatewayNamespace?: string,
    databases: readonly ServiceName[] = [],
  ) {
    this.#manifests = manifests;
    this.#gatewayNamespace = gatewayNamespace;
    this.#routes = plan.routes;
    const planned = plannedBackends(plan);
    this.guarded = unique<ServiceName>([...planned, ...databases]);
    this.deployed = unique(
      planned.filter((backend) => {
        const isApplication = backend.role === "service" || backend.role === "test";
        return !isApplication || isOurs(this.service(backend));
      }),
    );
  }

  service(service: ServiceName): Manifest | undefined {
    return serviceNamed(service, this.#manifests);
  }

  /** Returns the guarded Service behind one of the services of a rule. */
  behindRule(ref: BackendRef, services: number): ServiceName | undefined {
    // Of several services, Traefik names each by namespace, name and port, so that it can have the name of another one.
    return this.behind(ref) ?? (services > 1 ? this.#behindName(nameOf(ref)) : undefined);
  }

  /** Returns the guarded Service that a reference ends at, also through other Services. */
  behind(ref: Omit<BackendRef, "port">): ServiceName | undefined {
    if (ref.kind === "TraefikService") return this.#behindName(nameOf(ref));
    const direct = this.guarded.find((one) => one.namespace === ref.namespace && one.name === ref.name);
    const service = this.service(ref);
    return direct ?? (service && this.reachedBy(service));
  }

  /** Returns the guarded Service to which Traefik sends requests for a URL. Names outside of the cluster are not resolved. */
  behindUrl(url: string): ServiceName | undefined {
    const host = URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, "$1");
    return host === undefined ? undefined : this.#behindAddress(host, []);
  }

  /** Returns the guarded Service whose pods a Service selects as well, or of whose name it is an alias. */
  reachedBy(service: Manifest, visited: readonly Manifest[] = []): ServiceName | undefined {
    const { namespace, spec } = service;
    if (visited.includes(service)) return undefined;
    if (textAt(spec, "type") === "ExternalName") {
      return this.#behindAddress(textAt(spec, "externalName") ?? "", [...visited, service]);
    }
    const selector = labelsIn(spec["selector"]);
    if (Object.keys(selector).length === 0) return undefined;
    return this.guarded.find((one) => one.namespace === namespace && this.#selectsSame(one, selector));
  }

  /**
   * @param address IP address of a Service or of a pod, or a name in the cluster: `wiki.apps`, `wiki-0.wiki.apps.svc.cluster.local`, `10-42-0-7.apps.pod`.
   * The search domains of Traefik's pod complete it, so that any two labels can be the name and the namespace, and one label a name in its namespace.
   */
  #behindAddress(address: string, visited: readonly Manifest[]): ServiceName | undefined {
    const labels = address.toLowerCase().split(".");
    const namespaces = labels.length > 1 ? labels.slice(1) : [this.#gatewayNamespace ?? ""];
    const names = namespaces.map((namespace, index) => ({ namespace, name: labels[index] ?? "" }));
    const direct = this.guarded.find((one) => names.some((name) => isSame(name, one)));
    if (direct) return direct;
    for (const service of this.#manifests.filter(({ kind }) => kind === "Service")) {
      const { namespace, objectName: name = "", spec } = service;
      const own = { namespace, name };
      const addresses = [spec["clusterIP"], ...listOf(spec["clusterIPs"])];
      if (!addresses.includes(address) && !names.some((one) => isSame(one, own))) continue;
      const found = this.guarded.find((one) => isSame(one, own)) ?? this.reachedBy(service, visited);
      if (found) return found;
    }
    return this.#ofPodAddress([address, labels[0] ?? ""].map(dashed));
  }

  #ofPodAddress(addresses: readonly string[]): ServiceName | undefined {
    const pods = podsOf(this.#manifests).filter(({ props }) => {
      const own = [at(props, "status", "podIP"), ...listOf(at(props, "status", "podIPs")).map((one) => at(one, "ip"))];
      return own.some((ip) => typeof ip === "string" && addresses.includes(dashed(ip)));
    });
    return this.guarded.find((one) =>
      pods.some((pod) => pod.namespace === one.namespace && matchesLabels(this.#selectorOf(one), objectLabels(pod))),
    );
  }

  /** Returns the labels of a guarded Service's pods: of the running Service, or the planned ones. */
  #selectorOf(guarded: ServiceName): Readonly<Record<string, string>> {
    return labelsIn(this.service(guarded)?.spec["selector"] ?? labelsOf(guarded.name));
  }

  /** Compares by the running pods, or, without any, by the planned labels. */
  #selectsSame(guarded: ServiceName, selector: Readonly<Record<string, string>>): boolean {
    const ours = this.#selectorOf(guarded);
    if (matchesLabels(selector, ours)) return true;
    const pods = podsOf(this.#manifests).filter(({ namespace }) => namespace === guarded.namespace);
    return pods.map(objectLabels).some((labels) => matchesLabels(selector, labels) && matchesLabels(ours, labels));
  }

  /** Returns the guarded Service behind one of Traefik's services. @param name as {@link traefikName} returns it */
  #behindName(name: string, visited: readonly string[] = []): ServiceName | undefined {
    if (visited.includes(name)) return undefined;
    const isNamed = ({ kind, namespace, objectName = "" }: Manifest): boolean =>
      kind === "TraefikService" && traefikName(namespace, objectName) === name;
    const nested = this.#manifests.filter(isNamed).flatMap(({ spec, namespace }) => referencesIn(spec, namespace));
    for (const ref of nested) {
      const service = ref.kind === "TraefikService" ? undefined : this.behind(ref);
      const found = service ?? this.#behindName(nameOf(ref), [...visited, name]);
      if (found) return found;
    }
    return this.#serviceNamed(name) ?? this.#ruleNamed(name);
  }

  #serviceNamed(name: string): ServiceName | undefined {
    const services = this.#manifests.filter(({ kind, namespace, objectName = "", spec }) => {
      const ports = listOf(spec["ports"])
        .flatMap((port) => [at(port, "port"), at(port, "name")])
        .filter((port) => typeof port === "string" || typeof port === "number");
      return kind === "Service" && ports.some((port) => traefikName(namespace, objectName, port) === name);
    });
    for (const { namespace, objectName = "" } of services) {
      const found = this.behind({ kind: "Service", namespace, name: objectName });
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the guarded Service of a planned route, by the name that Traefik makes of the route and a hash of its rule. */
  #ruleNamed(name: string): ServiceName | undefined {
    const [, route] = /^(.*)-[0-9a-f]{20}$/.exec(name) ?? [];
    const rules = this.#routes
      .filter((one) => traefikName(one.namespace, one.name) === route)
      .flatMap((one) => one.rules);
    return this.guarded.find((one) => rules.some(({ backend }) => isSame(backend, one)));
  }
}

/**
 * Returns the name of Traefik's service for a reference; that of another provider than this one's is not known. The port of a reference to a
 * TraefikService is ignored.
 */
function nameOf({ kind, namespace, name, port }: Omit<BackendRef, "port"> & Partial<BackendRef>): string {
  const [own = "", provider = PROVIDER] = name.split("@");
  if (provider !== PROVIDER) return "";
  return traefikName(namespace, own, ...(port === undefined || kind === "TraefikService" ? [] : [port]));
}

/** Returns an IP address as DNS names of pods contain it. */
function dashed(ip: string): string {
  return ip.replaceAll(/[.:]/g, "-");
}

function isSame(a: ServiceName | undefined, b: ServiceName): boolean {
  return a?.namespace === b.namespace && a.name === b.name;
}

/** Returns whether a workload of that name and label is one of the stack's. */
function isOurs(service: Manifest | undefined): boolean {
  const part = "app.kubernetes.io/part-of";
  const own = labelsIn(at(service?.props, "metadata", "labels"));
  return own[part] === "gatehouse" || labelsIn(service?.spec["selector"])[part] === "gatehouse";
}

function unique<T extends ServiceName>(services: readonly T[]): T[] {
  return [...new Map(services.map((service) => [`${service.namespace}/${service.name}`, service])).values()];
}
