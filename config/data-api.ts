/** The data API in the checked form of a stack; part of settings.ts. */
import type { SecretText } from "./secretText.ts";

export interface DataApi {
  /** Host label, `<host>.<domain>`. */
  readonly host: string;
  readonly namespace: string;
  readonly domains: readonly string[];
  readonly database: string;
  /** PostgREST's version; the image's tag. */
  readonly version: string;
  /** Minimum and maximum number of PostgREST replicas. */
  readonly replicas: number;
  readonly maxReplicas: number;
  /** Exposed schemas in order; the first is the default (spec 001: `api_v1`). */
  readonly exposed: readonly string[];
  /** Schemas with personal data: created without grants. */
  readonly private: readonly string[];
  /** Exposed schemas that are deprecated. */
  readonly deprecated: readonly Deprecation[];
  /** The web catalog; undefined = not deployed. */
  readonly catalog: Catalog | undefined;
  readonly roles: {
    /** NOLOGIN; role of a request without credentials. */
    readonly anonymous: string;
    /** LOGIN NOINHERIT; role with which PostgREST connects. */
    readonly authenticator: string;
    /** Role with which pipelines write. */
    readonly owner: string;
  };
  readonly authenticatorPassword: SecretText;
  readonly ownerPassword: SecretText;
  readonly limits: {
    /** Maximum number of rows in one response. */
    readonly maxRows: number;
    /** How long one query may take, in milliseconds. */
    readonly statementTimeout: number;
    /** Connections of one replica to the database. */
    readonly connections: number;
    /** Rows of the largest table that is counted exactly. */
    readonly exactCountRows: number;
    /** Seconds for which a response can be cached without revalidation. */
    readonly maxAge: number;
    /** Of one client, by its address. */
    readonly requestsPerSecond: number;
    readonly burst: number;
    readonly inFlight: number;
  };
}

/** The web catalog of the data API, on each of its domains (spec 001, "Catalog frontend URL patterns"). */
export interface Catalog {
  /** Host label, `<host>.<domain>`. */
  readonly host: string;
  /** Path where it begins; starts and ends with a slash. */
  readonly basePath: string;
  readonly replicas: number;
}

/** The announced end of an exposed schema; both days are UTC, like `2027-01-31`. */
export interface Deprecation {
  readonly schema: string;
  readonly since: string;
  readonly sunset: string;
  /** Page about the replacement. */
  readonly link: string | undefined;
}
