/**
 * The checked, defaulted, immutable form of a stack's configuration. Everything behind `config/` reads these types and nothing else.
 *
 * No secret value is ever in here: a secret field is a {@link SecretText}, whose variables are looked up where a resource needs them.
 */

import type { Service } from "../protections/table.ts";
import type { Backend } from "./backend.ts";
import type { DataApi } from "./data-api.ts";
import type { Images } from "./images.ts";
import type { Observability } from "./observability.ts";
import type { SecretText } from "./secretText.ts";
import type { Verification } from "./verification.ts";

export type { Catalog, DataApi, Deprecation } from "./data-api.ts";
export type { OAuth2Service } from "../protections/oauth2.ts";
export type { Service } from "../protections/table.ts";
export type { Backend } from "./backend.ts";
export type { SecretText } from "./secretText.ts";
export type { Images } from "./images.ts";
export type { Observability } from "./observability.ts";
export type { Verification } from "./verification.ts";

export interface Settings {
  /** Stack name: the part between `Pulumi.` and `.yaml`. */
  readonly stack: string;
  /** `kubernetes:context`, the only cluster that this stack may touch. */
  readonly context: string | undefined;
  /** Every domain kind, enabled or not, localhost, mesh and external first, then others by name. */
  readonly domains: readonly Domain[];
  readonly services: readonly Service[];
  readonly gateway: TraefikGateway;
  readonly testEnvironments: TestEnvironments;
  readonly identityProvider: IdentityProvider;
  readonly postgres: PostgresServer | undefined;
  readonly dataApi: DataApi | undefined;
  /** Undefined = no metrics are read. */
  readonly observability: Observability | undefined;
  /** Undefined = no verification in the cluster. */
  readonly verification: Verification | undefined;
  readonly images: Images;
  /** What was skipped and why, e.g. a service that names a domain which is not enabled. */
  readonly warnings: readonly string[];
}

/** A domain kind (spec 000, "Domain kinds"). */
export interface Domain {
  readonly kind: string;
  readonly enabled: boolean;
  readonly baseDomain: string;
  readonly protocol: "http" | "https";
  /** Written into every URL when it is not the protocol's own (80 or 443). */
  readonly port: number | undefined;
  readonly description: string;
  /** Addresses for the domain records; none = no records. */
  readonly targets: readonly string[];
  /** Where TLS is terminated; undefined exactly if the protocol is http. */
  readonly tls: Tls | undefined;
}

/** `default` = Traefik's own default certificate; `upstream` = before the gateway, which then speaks HTTP. */
export type Tls =
  { readonly ends: "default" | "upstream" } | { readonly ends: "resolver" | "secret"; readonly name: string };

/** The Traefik that the cluster runs. */
export interface TraefikGateway {
  /** As stated; undefined = not checked. */
  readonly version: string | undefined;
  readonly namespace: string;
  /** Name of its Kubernetes Service. */
  readonly service: string;
  /** Labels of its pods. */
  readonly podLabels: Readonly<Record<string, string>>;
  readonly httpEntryPoint: string;
  readonly httpsEntryPoint: string;
}

/** The echo service and its hosts on localhost (spec 000, "Test environments per application"). */
export interface TestEnvironments {
  readonly enabled: boolean;
  /** The stack deploys the echo service itself. */
  readonly install: boolean;
  readonly backend: Backend;
}

export interface IdentityProvider {
  /** Host label, `<host>.<domain>`. */
  readonly host: string;
  /** Domain kind on which browsers sign in; undefined = the first enabled one. */
  readonly domain: string | undefined;
  readonly namespace: string;
  /** Deploy authentik (true) or use the one at `url`. */
  readonly install: boolean;
  /** Version of authentik's server, which is also the Terraform provider's line. */
  readonly version: string;
  /** Address of an existing one; required when `install` is false. */
  readonly url: string | undefined;
  /** Service of an existing one, when it runs in this cluster. */
  readonly service: { readonly name: string; readonly port: number } | undefined;
  /** Address of its API from the deploying machine, when it differs from the first domain's URL. */
  readonly apiUrl: string | undefined;
  /** API token; with `install` also the bootstrap token. */
  readonly token: SecretText;
  readonly adminEmail: string;
  readonly adminPassword: SecretText | undefined;
  readonly secretKey: SecretText | undefined;
  /** Its database on the platform's Postgres; required with `install`. */
  readonly database: { readonly name: string; readonly user: string; readonly password: SecretText } | undefined;
  /** Default session length for services without their own. */
  readonly session: string;
  /** Groups to create in addition to those of users. */
  readonly groups: readonly string[];
  readonly serviceAccounts: readonly ServiceAccount[];
  /** More providers than this go to outposts of their own. */
  readonly providersPerOutpost: number;
  /** Only on stacks whose one enabled domain is localhost. */
  readonly sampleUsers: readonly SampleUser[];
}
/** A machine user. */
export interface ServiceAccount {
  readonly name: string;
  /** Where the Secret with its password goes. */
  readonly namespace: string;
  readonly groups: readonly string[];
}
export interface SampleUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly password: SecretText;
  readonly groups: readonly string[];
}

/** The Postgres server that authentik and the data API use: an existing one, or one that the stack installs. */
export interface PostgresServer {
  /** Address from the deploying machine, and of an existing one also from pods; undefined = the address of the Service. */
  readonly host: string | undefined;
  readonly port: number;
  readonly user: string;
  readonly password: SecretText;
  readonly sslmode: "disable" | "require" | "verify-ca" | "verify-full";
  /** Root certificates of the server's CA in PEM; undefined where sslmode verifies none. */
  readonly sslrootcert: string | undefined;
  readonly install: PostgresInstallation | undefined;
}

export interface PostgresInstallation {
  readonly kind: "statefulset" | "cloudnativepg";
  readonly namespace: string;
  readonly version: string;
  readonly size: string;
  readonly storageClass: string | undefined;
  /** Type of the Service for the deploying machine. */
  readonly service: "LoadBalancer" | "ClusterIP";
  /** Networks outside of the cluster that may connect, as stated. */
  readonly allowedFrom: readonly string[];
  /** Namespaces, in addition to those of the stack, whose pods can connect. */
  readonly clients: readonly string[];
  readonly protect: boolean;
  /** The primary and its replicas; 1 for a statefulset. */
  readonly instances: number;
  readonly operatorNamespace: string;
  /** Namespace of the Prometheus that reads the metrics. */
  readonly monitoring: string | undefined;
}
