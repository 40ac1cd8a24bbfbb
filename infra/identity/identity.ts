import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { ApplicationRecord, Exposure, Plan } from "../plan/types.ts";
import { Access } from "./access.ts";
import { ProxyApplication } from "./application.ts";
import type { Authentik } from "./authentik.ts";
import { lookUpDefaults } from "./defaults.ts";
import { IdentityToken } from "./identityToken.ts";
import { EmbeddedOutpost } from "./outpost.ts";

export interface IdentityArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly authentik: Authentik;
  /** What the identity provider is reached through, e.g. the route of its own host. */
  readonly reachedThrough: readonly pulumi.CustomResource[];
}

/** An exposure that the identity provider knows as an application. */
export type ApplicationExposure = Exposure & { readonly application: ApplicationRecord };

/** Everything that Gatehouse keeps inside authentik: groups, users, applications, providers, and the outpost that serves them. */
export class Identity extends pulumi.ComponentResource {
  /** Where an application finds the keys that verify `X-idp-jwt`. */
  readonly jwksUrl: pulumi.Output<string>;

  constructor(name: string, args: IdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Identity", name, {}, opts);
    const url = args.authentik.apiUrl(args.reachedThrough);
    const provider = new authentik.Provider(
      "authentik",
      { url, token: args.authentik.token },
      // The engine writes the SDK's version on the first run and the base plugin's on the second, which no later run should show as a
      // change; which provider runs is decided by the SDK's parameterization, not by this.
      { parent: this, ignoreChanges: ["version"] },
    );
    const child = { parent: this, providers: [provider] };
    const defaults = lookUpDefaults(provider, url);

    const access = new Access(
      `${name}-access`,
      { plan: args.plan, identityProvider: args.settings.identityProvider },
      child,
    );
    const token = new IdentityToken(`${name}-token`, { defaults, issuer: args.authentik.browserUrl }, child);
    const applications = args.plan.exposures
      .filter(isProxied)
      .map(
        (exposure) => new ProxyApplication(exposure.id, { exposure, defaults, access, mapping: token.mapping }, child),
      );
    new EmbeddedOutpost(
      `${name}-outpost`,
      { outpost: defaults.embeddedOutpost, browserUrl: args.authentik.browserUrl, applications },
      child,
    );

    this.jwksUrl = token.jwksUrl;
    this.registerOutputs({ jwksUrl: this.jwksUrl });
  }
}

function isProxied(exposure: Exposure): exposure is ApplicationExposure {
  return exposure.protection === "proxy" && exposure.application !== undefined;
}
