/** What the listeners of Gateways admit to the routes of the Gateway API that are attached to them. */
import { isHost, plainHost } from "../../../manifests/matcher.ts";
import { at, listOf, type Manifest, textAt, type Value } from "../../../manifests/resource.ts";
import type { RoutingRule } from "../../../manifests/routing.ts";
import { portsOf } from "./gatewayPods.ts";

/** Traefik's name as the controller of a GatewayClass (v3.7, pkg/provider/kubernetes/gateway). */
const CONTROLLER = "traefik.io/gateway-controller";

const ROUTES = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute"];

interface Listener {
  /** Undefined for every host. */
  readonly hostname: string | undefined;
  readonly port: string;
  /** Whether Traefik reads its Gateway. */
  readonly isTraefiks: boolean;
}

/**
 * Returns a rule with the hosts and the entry points that its listeners admit. A rule is unchanged if one of its parents is not known. Behind another
 * controller's Gateway it serves the hosts that it names only: records in the DNS can follow from them.
 * @param names of the entry points that can be meant, whose ports are compared with those of the listeners
 * @param pods those of Traefik
 */
export function admitted(
  rule: RoutingRule,
  manifests: readonly Manifest[],
  names: readonly string[],
  pods: readonly Manifest[],
): RoutingRule {
  const listeners = listenersOf(rule.manifest, manifests);
  if (listeners === undefined) return rule;
  const own = listeners.filter(({ isTraefiks }) => isTraefiks);
  if (rule.manifest.kind === "TCPRoute") {
    // Traefik ignores the listener's hostname: its rule for a TCPRoute is HostSNI(`*`).
    const entryPoints = names.filter((name) =>
      portsOf(name, pods).some((port) => own.some((one) => one.port === port)),
    );
    return { ...rule, entryPoints };
  }
  const isAdmitted = (host: string): boolean =>
    own.some(({ hostname }) => hostname === undefined || isHost(plainHost(hostname), host)) ||
    (own.length < listeners.length && rule.hosts?.has(host) === true);
  return { ...rule, serves: (host) => isAdmitted(host) && rule.serves(host) };
}

/** Returns the listeners to which a route is attached; undefined if one of its parents is not known, and for other kinds. */
function listenersOf({ kind, spec, namespace }: Manifest, manifests: readonly Manifest[]): Listener[] | undefined {
  // The parents of an IngressRoute are routes.
  if (!ROUTES.includes(kind)) return undefined;
  const parents = listOf(spec["parentRefs"]);
  const found = parents.map((parent) => listenersIn(parent, namespace, manifests));
  const known = found.filter((one) => one !== undefined);
  return parents.length > 0 && known.length === found.length ? known.flat() : undefined;
}

function listenersIn(parent: Value, own: string, manifests: readonly Manifest[]): Listener[] | undefined {
  if ((textAt(parent, "kind") ?? "Gateway") !== "Gateway") return undefined;
  const namespace = textAt(parent, "namespace") ?? own;
  const gateway = manifests.find(
    (one) => one.kind === "Gateway" && one.namespace === namespace && one.objectName === textAt(parent, "name"),
  );
  if (gateway === undefined) return undefined;
  const isTraefiks = isOfTraefik(gateway, manifests);
  const isMeant = (listener: Value, field: string, key: string): boolean => {
    const stated = at(parent, field);
    return stated === undefined || stated === at(listener, key);
  };
  return listOf(gateway.spec["listeners"])
    .filter((listener) => isMeant(listener, "sectionName", "name") && isMeant(listener, "port", "port"))
    .map((listener) => ({
      hostname: textAt(listener, "hostname"),
      port: String(at(listener, "port")),
      isTraefiks,
    }));
}

/** Returns whether Traefik reads a Gateway. Returns true if its class could not be read. */
function isOfTraefik({ spec }: Manifest, manifests: readonly Manifest[]): boolean {
  const name = textAt(spec, "gatewayClassName");
  const found = manifests.find(({ kind, objectName }) => kind === "GatewayClass" && objectName === name);
  return found === undefined || textAt(found.spec, "controllerName") === CONTROLLER;
}
