/** Shapes of the entries of `protected_services`, one zod object per type; keys as people write them. */
import { z } from "zod";
import {
  duration,
  exposedOn,
  group,
  label,
  list,
  portNumber,
  publicPath,
  redirectPath,
  secret,
  sessionLength,
  slug,
  text,
  nonEmptyText,
} from "./fields.ts";

const base = {
  name: label()
    .regex(/^(?!gatehouse-)/, "a name that does not start with gatehouse-; Gatehouse's own objects have such names")
    .describe("Name of the service, and host label: `<name>.<base_domain>`."),
  description: nonEmptyText().describe("Free text."),
  domains: exposedOn().describe("Domain kinds on which the service is exposed, or `auto` for every enabled one."),
  service: z
    .strictObject({
      name: label().optional().describe("Name of the Kubernetes Service. Default: the entry's name."),
      namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
      port: portNumber().default(80).describe("Port of the Kubernetes Service."),
    })
    .prefault({})
    .describe("Kubernetes Service of the application."),
  public_paths: list(publicPath())
    .default([])
    .describe(
      "Path prefixes that are open without a session, by whole segments: `/public` opens `/public` and `/public/x`, not `/publicity`.",
    ),
};
const application = {
  application_slug: slug()
    .regex(
      /^(?!gatehouse(-|$))/,
      "a slug that does not start with gatehouse; Gatehouse's own applications have such slugs",
    )
    .describe("Name of the application in the identity provider."),
  groups: list(group()).default([]).describe("Allowed groups. Without groups, every user who can sign in is allowed."),
  session: sessionLength()
    .optional()
    .describe(
      "Length of a session, e.g. hours=10; at least minutes=5, because a login must finish within it. Default: `identity_provider.session`.",
    ),
};

const oauthConfig = z.strictObject({
  client_id: nonEmptyText().describe("Client identifier; usually a ${VARIABLE}."),
  client_secret: secret().describe("Client secret, as a ${VARIABLE}."),
  redirect_uri: redirectPath().describe(
    "Path of the application's callback on its own host, starting with `/`: a path, not a URL.",
  ),
  scopes: list(
    text(
      /^(?!(openid|email|profile)$)[\w.:/-]+$/,
      "a scope other than openid, email and profile",
      "remove it: those three are always requested",
    ),
  )
    .default([])
    .describe("Scopes in addition to openid, email and profile."),
  client_type: z.enum(["confidential", "public"]).default("confidential").describe("OAuth 2.0 client type."),
  access_token_validity: duration().default("minutes=10").describe("Validity of access tokens."),
  refresh_token_validity: duration().optional().describe("Validity of refresh tokens. Default: the session length."),
  subject_mode: z
    .enum(["hashed_user_id", "user_id", "user_uuid", "user_username", "user_email", "user_upn"])
    .default("hashed_user_id")
    .describe("Source of the `sub` claim."),
});

const proxyService = z.strictObject({
  type: z.literal("proxy").describe("Forward authentication."),
  ...base,
  ...application,
});
const oauth2Service = z.strictObject({
  type: z.literal("oauth2").describe("OpenID Connect: the application signs users in itself."),
  ...base,
  ...application,
  oauth_config: oauthConfig.describe("The application as an OAuth 2.0 client."),
  enforce: z
    .enum(["application", "gateway"])
    .default("application")
    .describe("`gateway` puts forward auth in front of an application that shows pages without a login."),
});
const basicService = z.strictObject({
  type: z.literal("basic").describe("One username and password, checked by the gateway."),
  ...base,
  basic_auth: z
    .strictObject({
      username: text(/^[^:\s]+$/, "a username without : and spaces", "shorten it").describe(
        "Username for the service.",
      ),
      password: secret().describe("Password, as a ${VARIABLE}."),
    })
    .describe("Credentials of the service."),
});
/** One entry of `protected_services`, by its `type`. */
export const serviceTypes = { proxy: proxyService, oauth2: oauth2Service, basic: basicService };
export const service = z.discriminatedUnion("type", [proxyService, oauth2Service, basicService]);

export type ServiceInput = z.output<typeof service>;
