/**
 * What a stack exposes, as plain data: the one description that components deploy, `ops/` proves and the access diff compares.
 * Computed from Settings by pure functions; holds no secret and no Output.
 */
import type { Backend } from "../../config/settings.ts";

export interface Plan {
  readonly stack: string;
  readonly exposures: readonly Exposure[];
  readonly routes: readonly Route[];
  readonly records: readonly RecordSet[];
  /** Every group that must exist, sorted. */
  readonly groups: readonly string[];
  readonly data: DataPlan | undefined;
  readonly warnings: readonly string[];
}

export type Protection = "proxy" | "oauth2" | "basic" | "open";

/** One service on one domain. */
export interface Exposure {
  /** `<service>@<domain kind>`, unique, stable when other domains come and go. */
  readonly id: string;
  /** Name of the entry in `protected_services`, or of the built-in (`whoami-public`, the identity provider's host, the data API's host). */
  readonly service: string;
  /** What the exposure is there for. Only `service` ones are protected entries of the list. */
  readonly role: "service" | "test" | "identity-provider" | "data-api";
  readonly domain: string;
  readonly host: string;
  /** Origin, with the port where the domain has one: `http://whoami.localhost:8080`. */
  readonly url: string;
  readonly tls: boolean;
  readonly protection: Protection;
  /** Who may enter; empty = everyone who can sign in. */
  readonly groups: readonly string[];
  readonly publicPaths: readonly string[];
  readonly session: string | undefined;
  readonly backend: Backend;
  /** The application in the identity provider; only for proxy and oauth2. */
  readonly application: ApplicationRecord | undefined;
}

export interface ApplicationRecord {
  /** `application_slug` as written. */
  readonly name: string;
  /** proxy: `<application_slug>-<domain kind>`; oauth2: exactly `application_slug`, shared by the service's exposures. */
  readonly slug: string;
}

/** One Traefik IngressRoute: all exposures of one service that share a backend. */
export interface Route {
  /** Kubernetes object name, a DNS label. */
  readonly name: string;
  readonly service: string;
  readonly namespace: string;
  readonly rules: readonly RouteRule[];
}

export interface RouteRule {
  readonly exposure: string;
  readonly host: string;
  /** Traefik rule; the host always as an exact `Host(...)`. */
  readonly match: string;
  readonly priority: number;
  readonly tls: boolean;
  /** The authentication in front: `none` for open exposures, public paths and the identity provider itself. */
  readonly authentication: "forward-auth" | "basic-auth" | "none";
  /** Why it is open; set exactly when authentication is `none`. */
  readonly openBecause: "public-path" | "open" | "application-login" | "identity-provider" | "data-api" | undefined;
  readonly backend: Backend;
}

/** All hosts of one domain kind: one DNSEndpoint, or the CoreDNS rewrite for localhost. */
export interface RecordSet {
  readonly domain: string;
  readonly hosts: readonly string[];
  readonly targets: readonly string[];
}

export interface DataPlan {
  readonly database: string;
  readonly schemas: readonly SchemaPlan[];
  readonly grants: readonly Grant[];
  readonly defaultPrivileges: readonly DefaultPrivilege[];
}
export interface SchemaPlan {
  readonly name: string;
  readonly owner: string;
  readonly exposed: boolean;
}
export type ObjectKind = "database" | "schema" | "table" | "sequence" | "function";
/** One cell of the grant matrix: role × schema × kind. Empty privileges = everything is taken away. */
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
