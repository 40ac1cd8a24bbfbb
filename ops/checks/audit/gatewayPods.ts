/** The pods of Traefik, and what the arguments of their containers state. Static configuration in files and variables is not read. */
import { matchesLabels } from "../../../infra/labels.ts";
import type { GatewayPods } from "../../../infra/network.ts";
import { type Options, optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import { at, listOf, type Manifest, type Value } from "../../../manifests/resource.ts";
import { objectLabels, podsOf } from "../../clients/services.ts";

/** Returns the pods of the gateway; none if its labels are not known. */
export function podsOfGateway(manifests: readonly Manifest[], gateway: GatewayPods | undefined): Manifest[] {
  if (gateway === undefined) return [];
  return podsOf(manifests).filter(
    (pod) => pod.namespace === gateway.namespace && matchesLabels(gateway.podLabels, objectLabels(pod)),
  );
}

export function containersOf(pods: readonly Manifest[]): readonly Value[] {
  return pods.flatMap(({ spec }) => listOf(spec["containers"]));
}

/** Returns the static options of each container. */
export function optionsIn(pods: readonly Manifest[]): Options[] {
  return containersOf(pods).map((container) => {
    const texts = [...listOf(at(container, "command")), ...listOf(at(container, "args"))];
    return optionsOf(texts.filter((one): one is string => typeof one === "string"));
  });
}

/** Returns the numbers of the ports on which an entry point listens. @param name in any case */
export function portsOf(name: string, pods: readonly Manifest[]): string[] {
  const addresses = optionsIn(pods).flatMap((one) => one.get(`entrypoints.${name.toLowerCase()}.address`) ?? []);
  return addresses.flatMap((address) => /:(\d+)(\/tcp)?$/.exec(address)?.[1] ?? []);
}
