import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { TraefikGateway } from "../../config/settings.ts";

interface ClusterDnsArgs {
  /** Base domain of the localhost kind. */
  readonly baseDomain: string;
  readonly gateway: TraefikGateway;
}

/**
 * Lets pods resolve `*.localhost` to the gateway, as a browser on the machine does: one key in `coredns-custom`, which k3s's CoreDNS
 * includes. The rest of that ConfigMap belongs to others, so only the key is applied.
 */
export class ClusterDns extends pulumi.ComponentResource {
  constructor(name: string, args: ClusterDnsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:ClusterDns", name, {}, opts);
    new k8s.core.v1.ConfigMapPatch(
      `${name}-rewrite`,
      {
        metadata: { name: "coredns-custom", namespace: "kube-system" },
        data: { "gatehouse.override": rewrite(args) },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

/** Returns the rewrite of CoreDNS (its docs, "rewrite"): names end in a dot, an open end would match more, and the response contains the requested name. */
function rewrite({ baseDomain, gateway }: ClusterDnsArgs): string {
  const names = `(.*)\\.${baseDomain.replaceAll(".", "\\.")}\\.$`;
  return `rewrite stop name regex ${names} ${gateway.service}.${gateway.namespace}.svc.cluster.local answer auto\n`;
}
