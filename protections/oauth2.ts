/** OpenID Connect: the application signs users in itself, optionally behind forward auth. */
import { z } from "zod";
import { dnsLabel } from "../infra/plan/dnsLabel.ts";
import { applicationFields, type Entry, entryFields } from "./entry.ts";
import { FORWARD_AUTH_EXPECTATION, forwardAuth } from "./forwardAuth.ts";
import { oauthConfig } from "./oauthClient.ts";
import type { Protection } from "./protection.ts";

const { application_slug } = applicationFields;

const schema = z.strictObject({
  type: z.literal("oauth2").describe("OpenID Connect: the application signs users in itself."),
  ...entryFields,
  ...applicationFields,
  // authentik refuses them (`Application.reserved_slugs`). An application behind forward auth has a longer slug.
  application_slug: application_slug
    .regex(
      /^(?!(authorize|device|introspect|revoke|token|userinfo)$)/,
      "a slug that is not authorize, device, introspect, revoke, token or userinfo; authentik serves OAuth 2.0 endpoints at these paths",
    )
    .describe(application_slug.description ?? ""),
  oauth_config: oauthConfig.describe("The application as an OAuth 2.0 client."),
  enforce: z
    .enum(["application", "gateway"])
    .default("application")
    .describe("`gateway` puts forward auth in front of an application that shows pages without a login."),
});

export type OAuth2Service = Entry<typeof schema>;

export const oauth2 = {
  schema,
  gateway: forwardAuth,
  // The echo service of a test environment cannot sign users in.
  gatewayAuthenticates: ({ enforce }, role) => role === "test" || enforce === "gateway",
  usesIdentityProvider: true,
  strength: (authentication) => (authentication === "none" ? 2 : 3),
  enforcedBy: (authentication) => (authentication === "none" ? "application" : "gateway"),
  client({ name, applicationSlug, groups, backend, session, oauthConfig: { redirectUri, ...oauth } }, urls) {
    const {
      clientId,
      clientSecret,
      scopes,
      clientType,
      accessTokenValidity,
      refreshTokenValidity = session,
      subjectMode,
    } = oauth;
    return {
      service: name,
      application: { name: applicationSlug, slug: applicationSlug },
      groups,
      redirectUris: urls.map((url) => url + redirectUri),
      launchUrl: urls[0],
      namespace: backend.namespace,
      secretName: dnsLabel(name, "oauth2"),
      credentials: { clientId: clientId.template, clientSecret: clientSecret?.template },
      tokens: { scopes: [...new Set(scopes)], clientType, accessTokenValidity, refreshTokenValidity, subjectMode },
    };
  },
  expectation: ({ authentication }) =>
    authentication === "none"
      ? { page: { kind: "application" }, refusals: [], signIn: "application" }
      : FORWARD_AUTH_EXPECTATION,
} satisfies Protection<OAuth2Service>;
