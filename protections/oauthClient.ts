import { z } from "zod";
import { seconds } from "../config/schema/duration.ts";
import { duration, nonEmptyText, redirectPath, secret, text, unresolved } from "../config/schema/fields.ts";
import { formatLocation, type Location, within } from "../config/errors/location.ts";
import { type Problem, problem } from "../config/errors/problems.ts";
import type { Resolved } from "../config/schema/resolve.ts";
import type { ApplicationRecord } from "../infra/plan/exposure.ts";

/** Schema of `oauth_config`. */
export const oauthConfig = z.strictObject({
  client_id: unresolved(nonEmptyText()).describe("Client identifier; usually a ${VARIABLE}."),
  client_secret: secret()
    .optional()
    .describe("Client secret, as a ${VARIABLE}; required unless `client_type: public`, which has none."),
  redirect_uri: redirectPath().describe(
    "Path of the application's callback on its own host, starting with `/`: a path, not a URL.",
  ),
  scopes: z
    .array(
      text(
        /^(?!(openid|email|profile|goauthentik\.io\/api|ak_proxy|gatehouse_.*)$)[\w.:/-]+$/,
        "a scope other than openid, email, profile, goauthentik.io/api, ak_proxy and gatehouse_*",
        "remove it: the first three are always requested; with goauthentik.io/api a client calls authentik's API as its users, administrators included; with the others it gets X-idp-jwt, which applications trust",
      ),
    )
    .default([])
    .describe("Scopes in addition to openid, email and profile."),
  client_type: z.enum(["confidential", "public"]).default("confidential").describe("OAuth 2.0 client type."),
  access_token_validity: duration()
    .refine((text) => !(seconds(text) < 60), { error: "at least minutes=1; write it like minutes=10" })
    .default("minutes=10")
    .describe("Validity of access tokens."),
  refresh_token_validity: duration()
    .optional()
    .describe("Validity of refresh tokens from the sign-in on; they are not renewed. Default: the session length."),
  subject_mode: z
    .enum(["hashed_user_id", "user_id", "user_uuid", "user_username", "user_email", "user_upn"])
    .default("hashed_user_id")
    .describe("Source of the `sub` claim."),
});

type OAuthConfig = Resolved<z.output<typeof oauthConfig>>;

/** Checks that a client has a secret if, and only if, it is confidential. */
export function clientSecretRules(location: Location, config: z.output<typeof oauthConfig>): Problem[] {
  const where = within(location, "oauth_config", "client_secret");
  const isPublic = config.client_type === "public";
  if (isPublic && config.client_secret !== undefined)
    return [problem(where, "a public client has no secret", "remove it, or remove client_type")];
  if (!isPublic && config.client_secret === undefined)
    return [problem(where, "missing", "add it: Client secret, as a ${VARIABLE}. Or set client_type: public")];
  return [];
}

/** Scopes that authentik has after its first start (`blueprints/system/providers-oauth2.yaml`), in addition to those that are always requested. */
const SHIPPED: ReadonlySet<string> = new Set(["entitlements", "offline_access"]);

/** Warns of scopes that a new authentik does not have, and of users that are one for the application. @param installed whether the stack installs it */
export function oauthWarnings(location: Location, config: z.output<typeof oauthConfig>, installed: boolean): string[] {
  const at = (key: string): string => formatLocation(within(location, "oauth_config", key));
  const missing = installed ? config.scopes.filter((scope) => !SHIPPED.has(scope)) : [];
  return [
    ...missing.map(
      (scope) =>
        `${at("scopes")}: authentik has no scope "${scope}" at first, and a deployment fails until it has a mapping of it. ${scope === "groups" ? "Use profile, which has the claim groups" : "Create a scope mapping with this name in authentik, or remove it"}.`,
    ),
    ...(config.subject_mode === "user_email"
      ? [
          `${at("subject_mode")}: users with the same email address, or without one, are one user for the application. Use user_uuid or hashed_user_id.`,
        ]
      : []),
  ];
}

/** Content and validity of its tokens. Scopes are those in addition to openid, email and profile. */
export type Tokens = Pick<OAuthConfig, "scopes" | "clientType" | "accessTokenValidity" | "subjectMode"> & {
  readonly refreshTokenValidity: string;
};

/** Where its credentials come from, as written: a `${VARIABLE}`, or the client id itself. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
}

/** An oauth2 service as a client of the identity provider, on all its domains. */
export interface OAuthClient {
  readonly service: string;
  readonly application: ApplicationRecord;
  readonly groups: readonly string[];
  /** One per exposure: its origin and the callback's path. */
  readonly redirectUris: readonly string[];
  /** URL of the application in the portal. */
  readonly launchUrl: string;
  /** Namespace of the application and of the Secret with its credentials. */
  readonly namespace: string;
  readonly secretName: string;
  readonly tokens: Tokens;
  readonly credentials: ClientCredentials;
}
