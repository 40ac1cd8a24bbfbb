import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Defaults } from "./defaults.ts";

export interface NobodyArgs {
  readonly defaults: Defaults;
  /** Name and slug; stacks that share an authentik each have their own. */
  readonly slug: string;
}

/**
 * A provider that lets nobody in, for a host that cannot be. An outpost with exactly one provider answers for every host with that one's
 * sessions (authentik/README 0, 2), so that a service which comes or goes would be open to the users of the other one. With this one in
 * each outpost, there is never exactly one of the others.
 */
export class Nobody extends pulumi.ComponentResource {
  /** The provider's id as an outpost lists it. */
  readonly providerId: pulumi.Output<number>;

  constructor(name: string, { defaults, slug }: NobodyArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Nobody", name, {}, opts);
    const child = { parent: this };
    const { authorizationFlow, invalidationFlow } = defaults;
    const provider = new authentik.ProviderProxy(
      `${name}-provider`,
      {
        name: slug,
        mode: "forward_single",
        externalHost: `http://${slug}.invalid`,
        authorizationFlow,
        invalidationFlow,
        propertyMappings: defaults.proxyMappings,
      },
      child,
    );
    this.providerId = provider.id.apply(Number);
    const application = new authentik.Application(
      `${name}-application`,
      { name: "Nobody", slug, protocolProvider: this.providerId, metaLaunchUrl: "blank://blank" },
      child,
    );
    const group = new authentik.Group(`${name}-group`, { name: slug }, child);
    new authentik.PolicyBinding(`${name}-binding`, { target: application.uuid, group: group.id, order: 0 }, child);
    this.registerOutputs({ providerId: this.providerId });
  }
}
