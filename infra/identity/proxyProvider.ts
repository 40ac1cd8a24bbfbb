import * as authentik from "#authentik";
import * as pulumi from "@pulumi/pulumi";
import { NO_OPEN_PATHS } from "../../protections/forwardAuth.ts";
import type { ForwardedExposure } from "../plan/exposure.ts";
import { providerOf } from "../plan/outposts.ts";
import type { GroupAccess } from "./groupAccess.ts";
import { registerApplication } from "./application.ts";
import type { Defaults } from "./defaults.ts";

interface ProxyProviderArgs {
  readonly exposure: ForwardedExposure;
  readonly defaults: Defaults;
  readonly access: GroupAccess;
  /** Id of the scope mapping that sets the identity headers. */
  readonly mapping: pulumi.Input<string>;
}

/** An exposure with forward auth, and its provider in authentik. */
export interface ProxyProvider {
  readonly exposure: ForwardedExposure;
  /** The provider's id as an outpost lists it. */
  readonly providerId: pulumi.Output<number>;
  /** Client id with which a machine requests a token. */
  readonly clientId: pulumi.Output<string>;
  /** The application and its policy bindings. */
  readonly application: readonly pulumi.Resource[];
}

/**
 * Registers one exposure with forward auth in authentik: a provider for exactly its host, and an application.
 * authentik ties one application to one provider and one provider to one host, so there is one of each per exposure. Their names contain
 * the slug, which a renamed service keeps. Changed groups replace the provider: the application moves to the new one before its binding
 * changes, and the old one is deleted last, with its tokens.
 */
export function registerProxyProvider(args: ProxyProviderArgs, child: pulumi.CustomResourceOptions): ProxyProvider {
  const { exposure, defaults, access } = args;
  const { application, groups, service, url: launchUrl } = exposure;
  const name = application.slug;
  const providerName = providerOf(exposure);
  const provider = new authentik.ProviderProxy(
    `${providerName}-provider`,
    {
      name: providerName,
      mode: "forward_single",
      externalHost: exposure.url,
      authorizationFlow: defaults.authorizationFlow,
      invalidationFlow: defaults.invalidationFlow,
      // This is the session's length; its default is ten minutes.
      accessTokenValidity: exposure.session,
      skipPathRegex: NO_OPEN_PATHS,
      propertyMappings: pulumi.all([defaults.proxyMappings, args.mapping]).apply(([five, ours]) => [...five, ours]),
    },
    child,
  );
  const providerId = provider.id.apply(Number);
  const record = { application, service, launchUrl, providerId, groups, access, child };
  return { exposure, providerId, clientId: provider.clientId, application: registerApplication(name, record) };
}
