import type { Plan } from "../../../infra/plan/types.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../../policy/resource.ts";
import type { BackendRef } from "../../../policy/routing.ts";
import { labelsIn, matches, podLabels, podsOf } from "../../clients/services.ts";

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The Services behind the plan's routes, and what else in a cluster routes to their pods. */
export class Backends {
  /** The planned Services that only the gateway may route to. */
  readonly guarded: readonly ServiceName[];
  /** Those of them that the stack deploys itself. */
  readonly deployed: readonly (ServiceName & { readonly port: number })[];
  readonly #manifests: readonly Manifest[];

  constructor(manifests: readonly Manifest[], plan: Plan) {
    this.#manifests = manifests;
    const roles = new Map(plan.exposures.map(({ id, role }) => [id, role]));
    const own = new Map(plan.exposures.map(({ id, backend }) => [id, backend]));
    const rules = plan.routes.flatMap((route) => route.rules);
    const all = rules.map(({ backend, exposure }) => {
      // On a protected host the outposts and their pages have rules, too.
      const role = isSame(own.get(exposure), backend) ? roles.get(exposure) : "outpost";
      return { ...backend, role };
    });
    // An existing identity provider has routes of other stacks, too.
    this.guarded = unique(all.filter(({ role }) => role !== "identity-provider" || plan.installsIdentityProvider));
    this.deployed = unique(
      all.filter((backend) => {
        if (backend.role === "identity-provider") return plan.installsIdentityProvider;
        if (backend.role === "service" || backend.role === "test") return isOurs(this.service(backend));
        return true;
      }),
    );
  }

  service({ namespace, name }: ServiceName): Manifest | undefined {
    return this.#manifests.find(
      (one) => one.kind === "Service" && one.namespace === namespace && one.objectName === name,
    );
  }

  /** Returns the guarded Service that a reference ends at, also through other Services. */
  behind(ref: BackendRef): ServiceName | undefined {
    if (ref.kind === "TraefikService") return this.#behindTraefikService(ref, []);
    const direct = this.guarded.find((one) => one.namespace === ref.namespace && one.name === ref.name);
    const service = this.service(ref);
    return direct ?? (service && this.reachedBy(service));
  }

  /** Returns the guarded Service whose pods a Service selects as well, or of whose name it is an alias. */
  reachedBy(service: Manifest): ServiceName | undefined {
    const { namespace, spec } = service;
    if (textAt(spec, "type") === "ExternalName") {
      const [name, space] = (textAt(spec, "externalName") ?? "").split(".");
      return this.guarded.find((one) => one.name === name && one.namespace === space);
    }
    const selector = labelsIn(spec["selector"]);
    if (Object.keys(selector).length === 0) return undefined;
    return this.guarded.find((one) => one.namespace === namespace && this.#selectsSame(one, selector));
  }

  /** Compares by the running pods, or, without any, by the planned labels. */
  #selectsSame(guarded: ServiceName, selector: Readonly<Record<string, string>>): boolean {
    const ours = labelsIn(this.service(guarded)?.spec["selector"] ?? labelsOf(guarded.name));
    if (matches(selector, ours)) return true;
    const pods = podsOf(this.#manifests).filter(({ namespace }) => namespace === guarded.namespace);
    return pods.map(podLabels).some((labels) => matches(selector, labels) && matches(ours, labels));
  }

  #behindTraefikService(ref: BackendRef, seen: readonly string[]): ServiceName | undefined {
    const key = `${ref.namespace}/${ref.name}`;
    const found = this.#manifests.find(({ kind, namespace, objectName }) => {
      return kind === "TraefikService" && namespace === ref.namespace && objectName === ref.name;
    });
    if (found === undefined || seen.includes(key)) return undefined;
    for (const next of referencesIn(found.spec, ref.namespace)) {
      const inner =
        next.kind === "TraefikService" ? this.#behindTraefikService(next, [...seen, key]) : this.behind(next);
      if (inner) return inner;
    }
    return undefined;
  }
}

function isSame(a: ServiceName | undefined, b: ServiceName): boolean {
  return a?.namespace === b.namespace && a.name === b.name;
}

/** Whether a workload of that name and label is one of the stack's. */
function isOurs(service: Manifest | undefined): boolean {
  const part = "app.kubernetes.io/part-of";
  const own = labelsIn(at(service?.props, "metadata", "labels"));
  return own[part] === "gatehouse" || labelsIn(service?.spec["selector"])[part] === "gatehouse";
}

/** Returns all references to other Services in a TraefikService, whatever its kind of load balancing. */
function referencesIn(value: Value, namespace: string): BackendRef[] {
  if (Array.isArray(value)) return listOf(value).flatMap((one) => referencesIn(one, namespace));
  const name = textAt(value, "name");
  const kind = textAt(value, "kind") ?? "Service";
  const own = name === undefined ? [] : [{ kind, namespace: textAt(value, "namespace") ?? namespace, name }];
  return [...own, ...Object.values(fieldsOf(value)).flatMap((one) => referencesIn(one, namespace))];
}

function unique<T extends ServiceName>(services: readonly T[]): T[] {
  return [...new Map(services.map((service) => [`${service.namespace}/${service.name}`, service])).values()];
}
