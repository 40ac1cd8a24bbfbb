/** Traefik's API and dashboard: their raw data contain all routes and the password hashes of basic services. */
import { matchesLabels } from "../../../infra/labels.ts";
import { isOn } from "../../../infra/prerequisites/staticOptions.ts";
import { withoutValues } from "../../../manifests/matcher.ts";
import { GUARDS, middlewareKinds } from "../../../manifests/middlewares.ts";
import { at, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../../manifests/routing.ts";
import { labelsIn, objectLabels } from "../../clients/services.ts";
import { type AuditFinding, type Compared, deletion, finding } from "./finding.ts";
import { containersOf, optionsIn, podsOfGateway, portsOf } from "./gatewayPods.ts";
import { addressesOutside } from "./services.ts";

const RULE = "backends-behind-the-plan";
const SHOWS = "which shows all routes and the password hashes of basic services";
const API = /^(api|dashboard|rest)@internal$/;

/** Name of Traefik's internal entry point, and its port by default (Traefik docs, "API & Dashboard", `insecure`). */
const ENTRY_POINT = "traefik";
const DEFAULT_PORT = "8080";

/** Options that open services of Traefik on its internal entry point, without a route. */
const INSECURE = ["api.insecure", "providers.rest.insecure"];

/** Returns whether a route is an internal one of Traefik, e.g. its dashboard, on its internal entry point, which no Service exposes by default. */
export function isGatewaysOwn({ manifest, entryPoints, backends }: RoutingRule): boolean {
  if (manifest.kind !== "IngressRoute" || entryPoints.length !== 1 || entryPoints[0] !== ENTRY_POINT) return false;
  return backends.every(({ kind, name }) => kind === "TraefikService" && name.endsWith("@internal"));
}

/** Returns a finding for a route that opens Traefik's API or dashboard to everyone. One behind an authentication is the operator's. */
export function openApi(rule: RoutingRule, { manifests, context }: Compared): AuditFinding[] {
  const api = apiOf(rule);
  if (api === undefined || isGuarded(rule, manifests)) return [];
  const { manifest, match } = rule;
  return [
    finding({
      rule: RULE,
      subject: manifest.label,
      message: `${withoutValues(match)}: opens ${api} of Traefik, ${SHOWS}`,
      hint: `remove it (${deletion(manifest, context)}), or add an authentication`,
    }),
  ];
}

/** Returns findings for Services that expose the internal entry point outside of the cluster, while the API is open there. */
export function exposedApi({ manifests, gateway }: Compared): AuditFinding[] {
  if (gateway === undefined) return [];
  const pods = podsOfGateway(manifests, gateway);
  if (!isApiOnEntryPoint(manifests, pods)) return [];
  const ports = internalPorts(pods);
  const labels = pods.length > 0 ? pods.map(objectLabels) : [gateway.podLabels];
  const isExposing = ({ kind, namespace, spec }: Manifest): boolean => {
    const selector = labelsIn(spec["selector"]);
    if (kind !== "Service" || namespace !== gateway.namespace || Object.keys(selector).length === 0) return false;
    const targets = listOf(spec["ports"]).map((port) => String(at(port, "targetPort") ?? at(port, "port")));
    return targets.some((port) => ports.has(port)) && labels.some((one) => matchesLabels(selector, one));
  };
  return manifests.filter(isExposing).flatMap((service) => {
    const addresses = addressesOutside(service);
    if (addresses.length === 0) return [];
    const message = `exposes Traefik's entry point ${ENTRY_POINT} outside of the cluster (${addresses.join(", ")}), with its API, ${SHOWS}`;
    const hint = "remove that port from it, or make it of type ClusterIP without externalIPs and such annotations";
    return [finding({ rule: RULE, subject: service.label, message, hint })];
  });
}

function apiOf({ backends }: RoutingRule): string | undefined {
  return backends.find(({ name }) => API.test(name))?.name;
}

/** Returns whether one of a rule's middlewares, also one in a chain, refuses requests of others. */
function isGuarded({ middlewares = [] }: RoutingRule, manifests: readonly Manifest[]): boolean {
  return middlewareKinds(middlewares, manifests).some((kind) => GUARDS.has(kind));
}

function isApiOnEntryPoint(manifests: readonly Manifest[], pods: readonly Manifest[]): boolean {
  const isOpen = (rule: RoutingRule): boolean =>
    rule.entryPoints.includes(ENTRY_POINT) && apiOf(rule) !== undefined && !isGuarded(rule, manifests);
  return (
    optionsIn(pods).some((options) => INSECURE.some((name) => isOn(options, name))) ||
    manifests.flatMap(rulesOf).some(isOpen)
  );
}

/** Returns the port of the internal entry point as Services name it: by number, and by the names of the containers' ports. */
function internalPorts(pods: readonly Manifest[]): ReadonlySet<string> {
  const [number = DEFAULT_PORT] = portsOf(ENTRY_POINT, pods);
  const named = containersOf(pods)
    .flatMap((container) => listOf(at(container, "ports")))
    .filter((port) => String(at(port, "containerPort")) === number)
    .flatMap((port) => textAt(port, "name") ?? []);
  return new Set([number, ENTRY_POINT, ...named]);
}
