import * as authentik from "#authentik";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { OAuth2Service } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { OAuthClient } from "../plan/types.ts";
import { resolveSecret } from "../secrets.ts";
import type { GroupAccess } from "./groupAccess.ts";
import { registerApplication } from "./application.ts";
import type { Defaults } from "./defaults.ts";
import { comparable } from "./secretRules.ts";

/** Length of a client id and of a client secret that authentik stores (`OAuth2Provider`). */
const MAX_CREDENTIAL = 255;

interface OAuthProviderArgs {
  readonly client: OAuthClient;
  readonly service: OAuth2Service;
  readonly defaults: Defaults;
  readonly access: GroupAccess;
  readonly cluster: Cluster;
  /** Origin of the identity provider as browsers see it. */
  readonly issuer: string;
}

/**
 * Registers one oauth2 service: an OpenID Connect provider with a strict redirect URI per exposure, an application, and a Secret in the
 * application's namespace with all that a client needs, in keys that `envFrom` takes.
 * @param child options of the objects in authentik
 * @returns the application and its binding
 */
export function registerOAuthProvider(args: OAuthProviderArgs, child: pulumi.CustomResourceOptions): pulumi.Resource[] {
  const { client, service, defaults, access } = args;
  const { application, groups, launchUrl, tokens } = client;
  const { slug: name } = application;
  const field = (name: string) => `oauth_config.${name} of "${service.name}"`;
  const clientId = resolveSecret(service.oauthConfig.clientId).apply((id) =>
    comparable(id, field("client_id"), MAX_CREDENTIAL),
  );
  const { clientSecret: secretText } = service.oauthConfig;
  const clientSecret =
    secretText &&
    resolveSecret(secretText).apply((secret) => comparable(secret, field("client_secret"), MAX_CREDENTIAL));
  const provider = new authentik.ProviderOauth2(
    `${name}-provider`,
    {
      name,
      clientId,
      clientType: tokens.clientType,
      ...(clientSecret ? { clientSecret } : {}),
      authorizationFlow: defaults.authorizationFlow,
      invalidationFlow: defaults.invalidationFlow,
      // Without a key, tokens would be signed with the client secret.
      signingKey: defaults.signingKey,
      propertyMappings: pulumi
        .all([defaults.oauth2Mappings, pulumi.all(tokens.scopes.map((scope) => defaults.scopeMapping(scope)))])
        .apply(([three, more]) => [...three, ...more]),
      // Stated, since over the API the default is none (measured).
      grantTypes: ["authorization_code", ...(tokens.scopes.includes("offline_access") ? ["refresh_token"] : [])],
      // The server adds the type; without it every run shows a change (measured).
      allowedRedirectUris: client.redirectUris.map((url) => ({
        matching_mode: "strict",
        url,
        redirect_uri_type: "authorization",
      })),
      accessTokenValidity: tokens.accessTokenValidity,
      refreshTokenValidity: tokens.refreshTokenValidity,
      // Never renewed: authentik checks no groups at a refresh, and 0 renews always (measured). A negative value, since a token that expires
      // while it is used has less than nothing left.
      refreshTokenThreshold: "hours=-1",
      subMode: tokens.subjectMode,
    },
    child,
  );
  const providerId = provider.id.apply(Number);
  const record = { application, groups, launchUrl, providerId, service: client.service, access, child };
  const registered = registerApplication(name, record);
  const { provider: kubernetes } = args.cluster;
  const stringData = credentials(args, { clientId, clientSecret });
  const metadata = { name: client.secretName, namespace: client.namespace };
  // The binding first: without it every user may sign in.
  const secret = { ...child, provider: kubernetes, dependsOn: registered };
  new k8s.core.v1.Secret(`${name}-credentials`, { metadata, stringData }, secret);
  return registered;
}

function credentials(
  { client, issuer }: OAuthProviderArgs,
  { clientId, clientSecret }: { clientId: pulumi.Output<string>; clientSecret: pulumi.Output<string> | undefined },
): Record<string, pulumi.Input<string>> {
  return {
    OIDC_ISSUER: `${issuer}/application/o/${client.application.slug}/`,
    OIDC_CLIENT_ID: clientId,
    ...(clientSecret ? { OIDC_CLIENT_SECRET: clientSecret } : {}),
    OIDC_REDIRECT_URIS: client.redirectUris.join(" "),
    OIDC_SCOPES: ["openid", "email", "profile", ...client.tokens.scopes].join(" "),
  };
}
