import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Access } from "./access.ts";
import type { Defaults } from "./defaults.ts";
import type { ApplicationExposure } from "./identity.ts";

export interface ProxyApplicationArgs {
  readonly exposure: ApplicationExposure;
  readonly defaults: Defaults;
  readonly access: Access;
  /** Id of the scope mapping that sets the identity headers. */
  readonly mapping: pulumi.Input<string>;
}

/**
 * One proxied exposure in authentik: a forward-auth provider for exactly its host, an application, and the groups that may enter.
 * authentik ties one application to one provider and one provider to one host, so there is one of each per exposure.
 */
export class ProxyApplication extends pulumi.ComponentResource {
  readonly exposureId: string;
  /** The provider's id as the outpost lists it. */
  readonly providerId: pulumi.Output<number>;

  constructor(name: string, args: ProxyApplicationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:ProxyApplication", name, {}, opts);
    const { exposure, defaults } = args;
    this.exposureId = exposure.id;
    const provider = new authentik.ProviderProxy(
      `${name}-provider`,
      {
        name: exposure.id,
        mode: "forward_single",
        externalHost: exposure.url,
        authorizationFlow: defaults.authorizationFlow,
        invalidationFlow: defaults.invalidationFlow,
        // This is the session's length; its default is ten minutes.
        accessTokenValidity: exposure.session,
        propertyMappings: pulumi.all([defaults.proxyMappings, args.mapping]).apply(([five, ours]) => [...five, ours]),
      },
      { parent: this },
    );
    this.providerId = provider.id.apply(Number);

    const application = new authentik.Application(
      `${name}-application`,
      {
        name: exposure.application.name,
        slug: exposure.application.slug,
        group: exposure.service,
        protocolProvider: this.providerId,
        metaLaunchUrl: exposure.url,
      },
      { parent: this },
    );
    for (const [order, group] of exposure.groups.entries()) {
      new authentik.PolicyBinding(
        `${name}-${group}`,
        { target: application.uuid, group: args.access.groupId(group), order },
        { parent: this },
      );
    }
    this.registerOutputs({ providerId: this.providerId });
  }
}
