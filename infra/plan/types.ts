/**
 * What a stack exposes, as plain data: components deploy it, `ops/` verifies it and the access diff compares it. Computed from Settings by
 * pure functions; contains no secret and no Output.
 */
import type { Backend, DataApi, Tls } from "../../config/settings.ts";
import type { OAuthClient } from "../../protections/oauthClient.ts";
import type { Exposure } from "./exposure.ts";
import type { Middleware } from "./middleware.ts";

export type { ClientCredentials, OAuthClient, Tokens } from "../../protections/oauthClient.ts";
export type { ApplicationRecord, Exposure } from "./exposure.ts";
export type { ForwardAuth, Middleware } from "./middleware.ts";

export interface Plan {
  readonly stack: string;
  /** Origin of the identity provider as browsers see it, and part of every issuer; undefined when it is on no domain. */
  readonly identityProviderUrl: string | undefined;
  /** Name and slug of what signs `X-idp-jwt`; its JWKS is what applications verify against. */
  readonly identitySlug: string;
  readonly exposures: readonly Exposure[];
  /** Clients of the identity provider, one per oauth2 service. */
  readonly clients: readonly OAuthClient[];
  readonly outposts: readonly Outpost[];
  /** Whether the stack deploys the identity provider, or uses an existing one. */
  readonly installsIdentityProvider: boolean;
  readonly routes: readonly Route[];
  /** Every TraefikService that a route names. */
  readonly traefikServices: readonly TraefikService[];
  /** Every middleware that a route or a TraefikService names. */
  readonly middlewares: readonly Middleware[];
  readonly records: readonly RecordSet[];
  /** Every group of the stack, sorted. */
  readonly groups: readonly string[];
  /** Those that a deployment creates unless they exist; the others must exist. */
  readonly createdGroups: readonly string[];
  /** One for each combination of allowed groups, in the order of their names. */
  readonly groupPolicies: readonly GroupPolicy[];
  /** The sample users and service accounts of the stack. */
  readonly members: readonly Member[];
  /** The one username of each basic service that is exposed somewhere. */
  readonly logins: readonly Login[];
  readonly data: DataPlan | undefined;
  /** What else decides who can connect, and to what, by name (connections.ts). */
  readonly connections: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/**
 * A standalone proxy outpost. All its providers have the same allowed groups, session length and scheme, because its session store is
 * shared: a session of one provider opens the others, and one cookie lifetime and one `Secure` flag apply to all
 * (measured, docs/authentik.md).
 */
export interface Outpost extends Backend {
  /** Empty = all users. */
  readonly groups: readonly string[];
}

/** A policy of the identity provider that admits the members of any of its groups. */
export interface GroupPolicy {
  /** Its name in the identity provider. */
  readonly name: string;
  /** At least one, sorted. */
  readonly groups: readonly string[];
}

/** A user or machine that can sign in, and its groups. */
export interface Member {
  readonly name: string;
  readonly kind: "sample user" | "service account";
  readonly groups: readonly string[];
}

export interface Login {
  readonly service: string;
  readonly username: string;
  /** Where the password comes from, as written: a `${VARIABLE}`. */
  readonly password: string;
}

/** One Traefik IngressRoute: all exposures of one service that share a backend, an entry point and its TLS. */
export interface Route {
  /** Kubernetes object name. */
  readonly name: string;
  readonly entryPoint: string;
  /** Undefined on the entry point for HTTP. */
  readonly tls: Tls | undefined;
  readonly namespace: string;
  readonly rules: readonly RouteRule[];
}

export interface RouteRule {
  readonly exposure: string;
  readonly host: string;
  /** Traefik rule; the host always as an exact `Host(...)`. */
  readonly match: string;
  readonly priority: number;
  /** Names of middlewares in the route's namespace, in order; the strip is always among them, before any authentication. */
  readonly middlewares: readonly string[];
  /** The authentication by the gateway: `none` for open exposures, public paths and the identity provider itself. */
  readonly authentication: string;
  /** Why it is open; set exactly when authentication is `none`. */
  readonly openBecause:
    | "public-path"
    | "open"
    | "application-login"
    | "identity-provider"
    | "data-api"
    | "catalog"
    | undefined;
  readonly backend: Backend;
  /** Name of the TraefikService in the route's namespace that is between the rule and its backend. */
  readonly traefikService: string | undefined;
}

/**
 * A backend with middlewares that exist once. Of a middleware that rules name, Traefik makes one for each rule, so that a limit there is one of
 * each rule and host; a TraefikService is created once for all of them (measured, docs/limits.md).
 */
export interface TraefikService {
  /** Kubernetes object name. */
  readonly name: string;
  readonly namespace: string;
  /** Name of the Service in the same namespace. */
  readonly service: string;
  /** Number or name of its port. Traefik merges TraefikServices of one Service that give the same port in the same way. */
  readonly port: number | string;
  /** Names of middlewares in the same namespace, in order. */
  readonly middlewares: readonly string[];
}

/** All hosts of one domain kind: one DNSEndpoint, or the CoreDNS rewrite for localhost. */
export interface RecordSet {
  readonly domain: string;
  /** Owner of the records: `gatehouse-<stack>`. */
  readonly owner: string;
  readonly hosts: readonly string[];
  readonly targets: readonly string[];
}

export interface DataPlan {
  readonly database: string;
  /** Whether the database exists before the stack, and outlives it: nothing that it contains is created in Pulumi's state. */
  readonly existing: boolean;
  /** Roles in addition to the owner that create relations in exposed schemas. */
  readonly writers: readonly string[];
  /** Whether the administrator is a superuser; without one, the features of config/sections/postgres/superuserFeatures.ts may not be enforced. */
  readonly superuser: boolean;
  readonly roles: DataRoles;
  readonly schemas: readonly SchemaPlan[];
  readonly grants: readonly Grant[];
  readonly defaultPrivileges: readonly DefaultPrivilege[];
  /** Limits of a request and of a client. */
  readonly limits: DataApi["limits"];
}
interface DataRoles {
  /** Role of a request; NOLOGIN. */
  readonly anonymous: string;
  /** Role with which PostgREST connects; LOGIN NOINHERIT, and a member of the anonymous role only. */
  readonly authenticator: string;
  /** Role with which pipelines write. */
  readonly owner: string;
  /** Role with which the stack deploys. */
  readonly administrator: string;
}
export interface SchemaPlan {
  readonly name: string;
  /** In an existing database the owner of an exposed or private schema that the stack creates; one that exists keeps its own. */
  readonly owner: string;
  /**
   * Exposed: readable by everyone. Private: personal data, for the owner only. Hidden: as private, but views of exposed schemas may read it.
   * Internal: for Gatehouse itself.
   */
  readonly access: "exposed" | "private" | "hidden" | "internal";
}
export type ObjectKind = "database" | "schema" | "table" | "sequence" | "function";
/** One cell of the grant matrix: role × schema × kind. Empty privileges = everything is revoked. */
export interface Grant {
  readonly role: string;
  readonly schema: string | undefined;
  readonly kind: ObjectKind;
  readonly privileges: readonly string[];
}
/** Privileges that objects get when `owner` creates them later. No schema = everywhere in the database. */
export interface DefaultPrivilege {
  readonly owner: string;
  readonly role: string;
  readonly schema: string | undefined;
  readonly kind: "table" | "sequence" | "function";
  readonly privileges: readonly string[];
}
