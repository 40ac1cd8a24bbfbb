import assert from "node:assert";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { serviceUrl } from "../clusterIp.ts";
import { gatewayPods, allowIngressFrom } from "../network.ts";
import { outpostNamespace } from "../plan/objectNames.ts";
import type { Plan } from "../plan/types.ts";
import { serviceOf } from "../pods.ts";
import type { Installation } from "./installation.ts";
import { SignInPages } from "./signInPages.ts";

interface OutpostsArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  /** Undefined = an existing authentik. */
  readonly installation: Installation | undefined;
}

/** Creates the resources that all outposts share: their namespace, the Services that forward auth requests, and the pages for failed sign-ins. */
export class Outposts extends pulumi.ComponentResource {
  readonly kubernetes: k8s.Provider;
  readonly namespace: pulumi.Output<string>;
  readonly namespaceName: string;
  /** Undefined when the stack has no outposts of its own namespace. */
  readonly namespaceResource: k8s.core.v1.Namespace | undefined;
  /** Admits the gateway to the outposts; undefined without outposts. */
  readonly network: k8s.networking.v1.NetworkPolicy | undefined;
  readonly #services: ReadonlyMap<string, { readonly service: k8s.core.v1.Service; readonly port: number }>;

  constructor(name: string, args: OutpostsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Outposts", name, {}, opts);
    const { settings, plan, cluster, installation } = args;
    this.kubernetes = cluster.provider;
    this.namespaceName = outpostNamespace(settings);
    const child = { parent: this, provider: cluster.provider };
    const needed = plan.outposts.length > 0;
    this.namespaceResource =
      installation?.namespace ?? (needed ? cluster.namespace(this.namespaceName, this) : undefined);
    this.namespace = this.namespaceResource?.metadata.name ?? pulumi.output(this.namespaceName);
    this.#services = new Map(
      plan.outposts.map(({ name: app, port }) => {
        const service = new k8s.core.v1.Service(
          app,
          serviceOf({ name: app, namespace: this.namespace }, app, port),
          child,
        );
        return [app, { service, port }];
      }),
    );
    const [first] = plan.outposts;
    if (first) {
      this.network = installation?.network ?? this.#onlyGateway(name, settings, first.port, child);
      const { namespace, network } = this;
      new SignInPages(`${name}-pages`, { namespace, network, cluster }, { parent: this });
    }
    this.registerOutputs({});
  }

  /**
   * Returns the address at which the gateway requests an outpost. A cluster IP, so that the gateway needs no cluster DNS.
   * @param outpost its name
   */
  url(outpost: string): pulumi.Output<string> {
    const found = this.#services.get(outpost);
    assert(found, `the plan has no outpost "${outpost}"`);
    return serviceUrl(found.service, found.port);
  }

  #onlyGateway(name: string, { gateway }: Settings, port: number, child: pulumi.CustomResourceOptions) {
    return new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      {
        metadata: { name: "gatehouse-outposts", namespace: this.namespace },
        spec: allowIngressFrom({}, port, [gatewayPods(gateway)]),
      },
      child,
    );
  }
}
