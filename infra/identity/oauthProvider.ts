import * as authentik from "@pulumi/authentik";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { OAuth2Service } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { OAuthClient } from "../plan/types.ts";
import { reveal } from "../secrets.ts";
import type { Access } from "./access.ts";
import { registerApplication } from "./application.ts";
import type { Defaults } from "./defaults.ts";

export interface OAuthProviderArgs {
  readonly client: OAuthClient;
  readonly service: OAuth2Service;
  readonly defaults: Defaults;
  readonly access: Access;
  readonly cluster: Cluster;
  /** Origin of the identity provider as browsers see it. */
  readonly issuer: string;
}

/**
 * One oauth2 service: an OpenID Connect provider with a strict redirect URI per exposure, an application, and a Secret in the
 * application's namespace with all that a client needs, in keys that `envFrom` takes.
 */
export class OAuthProvider extends pulumi.ComponentResource {
  constructor(name: string, args: OAuthProviderArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:OAuthProvider", name, {}, opts);
    const { client, service, defaults, access } = args;
    const { oauth } = service;
    const clientId = reveal(oauth.clientId);
    const clientSecret = oauth.clientType === "confidential" ? reveal(oauth.clientSecret) : undefined;
    const provider = new authentik.ProviderOauth2(
      `${name}-provider`,
      {
        name: client.service,
        clientId,
        clientType: oauth.clientType,
        ...(clientSecret ? { clientSecret } : {}),
        authorizationFlow: defaults.authorizationFlow,
        invalidationFlow: defaults.invalidationFlow,
        // Without a key, tokens would be signed with the client secret.
        signingKey: defaults.signingKey,
        propertyMappings: pulumi
          .all([defaults.oauth2Mappings, pulumi.all(oauth.scopes.map((scope) => defaults.scopeMapping(scope)))])
          .apply(([three, more]) => [...three, ...more]),
        // Stated, since over the API the default is none (measured).
        grantTypes: ["authorization_code", ...(oauth.scopes.includes("offline_access") ? ["refresh_token"] : [])],
        // The server adds the type; without it every run shows a change (measured).
        allowedRedirectUris: client.redirectUris.map((url) => ({
          matching_mode: "strict",
          url,
          redirect_uri_type: "authorization",
        })),
        accessTokenValidity: oauth.accessTokenValidity,
        refreshTokenValidity: oauth.refreshTokenValidity,
        subMode: oauth.subjectMode,
      },
      { parent: this },
    );
    const { application, groups, launchUrl } = client;
    const providerId = provider.id.apply(Number);
    const record = { application, groups, launchUrl, providerId, service: client.service, access };
    registerApplication(name, record, { parent: this });
    this.#credentials(name, args, { clientId, clientSecret });
    this.registerOutputs({});
  }

  #credentials(
    name: string,
    { client, service, cluster, issuer }: OAuthProviderArgs,
    { clientId, clientSecret }: { clientId: pulumi.Output<string>; clientSecret: pulumi.Output<string> | undefined },
  ): void {
    const stringData = {
      OIDC_ISSUER: `${issuer}/application/o/${client.application.slug}/`,
      OIDC_CLIENT_ID: clientId,
      ...(clientSecret ? { OIDC_CLIENT_SECRET: clientSecret } : {}),
      OIDC_REDIRECT_URIS: client.redirectUris.join(" "),
      OIDC_SCOPES: ["openid", "email", "profile", ...service.oauth.scopes].join(" "),
    };
    new k8s.core.v1.Secret(
      `${name}-credentials`,
      { metadata: { name: client.secretName, namespace: client.namespace }, stringData },
      { parent: this, provider: cluster.provider },
    );
  }
}
