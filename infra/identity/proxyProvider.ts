import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { ApplicationRecord, Exposure } from "../plan/types.ts";
import type { Access } from "./access.ts";
import { registerApplication } from "./application.ts";
import type { Defaults } from "./defaults.ts";

/** An exposure that forward auth protects. */
export type ForwardedExposure = Exposure & { readonly application: ApplicationRecord };

export interface ProxyProviderArgs {
  readonly exposure: ForwardedExposure;
  readonly defaults: Defaults;
  readonly access: Access;
  /** Id of the scope mapping that sets the identity headers. */
  readonly mapping: pulumi.Input<string>;
}

/**
 * One exposure with forward auth in authentik: a provider for exactly its host, and an application.
 * authentik ties one application to one provider and one provider to one host, so there is one of each per exposure.
 */
export class ProxyProvider extends pulumi.ComponentResource {
  readonly exposure: ForwardedExposure;
  /** The provider's id as an outpost lists it. */
  readonly providerId: pulumi.Output<number>;
  /** What a machine names when it asks for a token. */
  readonly clientId: pulumi.Output<string>;

  constructor(name: string, args: ProxyProviderArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:ProxyProvider", name, {}, opts);
    const { exposure, defaults, access } = args;
    this.exposure = exposure;
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
    this.clientId = provider.clientId;
    const { application, groups, service, url: launchUrl } = exposure;
    const { providerId } = this;
    registerApplication(name, { application, service, launchUrl, providerId, groups, access }, { parent: this });
    this.registerOutputs({ providerId: this.providerId });
  }
}
