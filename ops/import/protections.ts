import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import { type Authentication, clientsCanSend } from "./middlewares.ts";
import { internalBackend, outpostOf, type ServiceOutpost } from "./outpost.ts";
import { clientAccess, type ImportedAccess, proxyAccess, unknownGroups } from "./applications.ts";
import { type Server, textOf } from "./server.ts";
import type { Protocol, Source } from "./source.ts";

interface Common {
  /** Protocol that browsers use, if it is known. */
  readonly protocol: Protocol | undefined;
  readonly publicPaths: readonly string[];
  readonly differences: readonly string[];
  readonly application?: ImportedAccess["application"];
  /** Backend of the application, if that of the route is an outpost. */
  readonly backend?: Backend;
}

export type Protection = Common &
  (
    | { readonly type: "proxy"; readonly groups: readonly string[]; readonly session: string }
    | {
        readonly type: "oauth2";
        readonly groups: readonly string[];
        readonly client: OAuthFields;
        /** Those of its present client, also on other hosts. */
        readonly redirectUris: readonly string[];
      }
    | { readonly type: "basic"; readonly username: string; readonly secret: string }
  );

/** Fields of `oauth_config` without secrets. */
type OAuthFields = Readonly<Record<string, string | readonly string[]>> & { readonly redirect_uri: string };

const OPEN =
  "it is open to everyone, and no type of protected_services is. Leave the route as it is, or write an entry of type proxy to protect it";

/** Of every host with forward auth (docs/requests.md). */
const FORWARD_AUTH_DIFFERENCES = [
  "during the deployment it answers 500 or 400 for some seconds, until the new outpost serves it",
  "sessions start anew, without a login for users who are signed in at authentik",
  "API and background requests without a session get 401 instead of a redirect to the login",
];

/** How the requests of a route are authenticated; `outpost`: its backend is an outpost of authentik. */
type Authenticated = Authentication | { readonly kind: "outpost"; readonly outpost: ServiceOutpost };

/** Returns the protection of a host, or why no entry has the same. */
export function protectionFor(host: string, authentication: Authenticated, source: Source): Protection | string {
  switch (authentication.kind) {
    case "authentik":
      return forwardAuth(host, authentication.server, source);
    case "outpost":
      return servedByOutpost(host, authentication.outpost, source);
    case "basic":
      return basic(authentication.secret, source);
    case "none":
      return openAtGateway(host, source);
  }
}

function forwardAuth(host: string, server: Server, source: Source): Protection | string {
  if (typeof source.identity === "string") return unknownGroups(source.identity);
  const outpost = outpostOf(server, source);
  if (outpost === undefined) {
    return `its forward auth requests ${textOf(server)}, which is not an outpost of this authentik. If it is its server, name the Service in gatehouse:identity_provider`;
  }
  const access = proxyAccess(host, source.identity, outpost, "forward auth");
  if (typeof access === "string") return access;
  return { type: "proxy", ...access, differences: [...FORWARD_AUTH_DIFFERENCES, ...access.differences] };
}

function servedByOutpost(host: string, outpost: ServiceOutpost, { identity, manifests }: Source): Protection | string {
  const access = proxyAccess(host, identity, outpost, "proxy");
  if (typeof access === "string") return access;
  const backend = internalBackend(access.internalHost, manifests);
  if (typeof backend === "string") return backend;
  const headers = [
    "the application receives requests from Traefik, with X-idp-* headers, and no longer X-authentik-* and additionalHeaders of users and groups",
    clientsCanSend("additionalHeaders"),
  ];
  return {
    type: "proxy",
    ...access,
    backend,
    differences: [...FORWARD_AUTH_DIFFERENCES, ...headers, ...access.differences],
  };
}

function basic(secret: string, { users }: Source): Protection | string {
  const names = users.get(secret) ?? "it was not read";
  if (typeof names === "string") return `the users of its Secret ${secret} are not known: ${names}`;
  const [username, ...others] = names;
  if (username === undefined) return `its Secret ${secret} has no user`;
  if (others.length > 0) return `its Secret ${secret} has ${names.length} users, and an entry has one`;
  return { type: "basic", username, secret, protocol: undefined, publicPaths: [], differences: [] };
}

function openAtGateway(host: string, { identity }: Source): Protection | string {
  const access = clientAccess(host, identity);
  if (typeof access === "string") return access;
  if (access === undefined) {
    return typeof identity === "string" ? `${OPEN}. Whether it signs users in is not known: ${identity}` : OPEN;
  }
  const { provider, redirectPath, scopes, application, groups, protocol, differences } = access;
  const client = {
    redirect_uri: redirectPath,
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(provider.client_type === "public" ? { client_type: "public" } : {}),
    access_token_validity: provider.access_token_validity,
    refresh_token_validity: provider.refresh_token_validity,
    ...(provider.sub_mode === "hashed_user_id" ? {} : { subject_mode: provider.sub_mode }),
  };
  const redirectUris = provider.redirect_uris.map(({ url }) => url);
  return { type: "oauth2", application, groups, protocol, differences, publicPaths: [], client, redirectUris };
}
