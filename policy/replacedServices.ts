/** Services of Traefik that an unplanned TraefikService replaces: Traefik keeps the definition that it reads last. */
import { plannedBackends } from "../infra/plan/plannedBackends.ts";
import { traefikName } from "../infra/plan/traefikName.ts";
import type { Middleware, Plan } from "../infra/plan/types.ts";
import { type Manifest, objectLabel } from "../manifests/resource.ts";
import { type BackendRef, referencesIn } from "../manifests/routing.ts";

/** Returns the planned middleware whose page a TraefikService replaces: Traefik names its service after it (v3.7, pkg/provider/kubernetes/crd, `loadConfigurationFromCRD`). */
export function replacedPage({ namespace, objectName = "" }: Manifest, { middlewares }: Plan): Middleware | undefined {
  const name = traefikName(namespace, objectName);
  return middlewares.find(
    (one) => one.kind === "sign-in-error" && `${traefikName(one.namespace, one.name)}-errorpage-service` === name,
  );
}

/** Returns what of the plan an unplanned TraefikService replaces, as text; undefined for any other object. */
export function replacedService(manifest: Manifest, plan: Plan): string | undefined {
  const { kind, namespace, objectName = "", spec } = manifest;
  const isPlanned = plan.traefikServices.some((one) => one.namespace === namespace && one.name === objectName);
  if (kind !== "TraefikService" || isPlanned) return undefined;
  const page = replacedPage(manifest, plan);
  if (page !== undefined) return `the page of ${objectLabel("Middleware", page)}`;
  const name = traefikName(namespace, objectName);
  const same = plan.traefikServices.find((one) => traefikName(one.namespace, one.name) === name);
  if (same !== undefined) return `${objectLabel("TraefikService", same)}, which has the same name in Traefik`;
  const [backend] = referencesIn(spec, namespace).flatMap((ref) => plannedBehind(ref, plan) ?? []);
  return backend && `how Traefik connects to ${backend}, such as the limits of clients and queries`;
}

/** Returns the planned Service of a reference, by its own name, or by the one that Traefik gives to it or to a planned TraefikService. */
function plannedBehind({ kind, namespace, name, port }: BackendRef, plan: Plan): string | undefined {
  const isService = kind !== "TraefikService";
  const named = traefikName(
    namespace,
    name.replace(/@kubernetescrd$/, ""),
    ...(isService && port !== undefined ? [port] : []),
  );
  const limited = plan.traefikServices.map((one) => ({ ...one, name: one.service, own: one.name }));
  const found = [...limited, ...plannedBackends(plan)].find(
    (one) =>
      (isService && one.namespace === namespace && one.name === name) ||
      traefikName(one.namespace, one.name, one.port) === named ||
      ("own" in one && traefikName(one.namespace, one.own) === named),
  );
  return found && `${found.namespace}/${found.name}`;
}
