/**
 * The checked, defaulted, immutable form of a stack's configuration. Everything outside of `config/` reads these types.
 *
 * They contain no secret value: a secret field is a SecretText, whose variables are looked up where a resource needs them.
 */
import type { Service } from "../protections/table.ts";
import type { ClusterIdentity } from "./sections/cluster.ts";
import type { DataApi } from "./sections/dataApi/dataApi.ts";
import type { Domain } from "./sections/domains/domains.ts";
import type { TraefikGateway } from "./sections/gateway.ts";
import type { IdentityProvider } from "./sections/identityProvider/identityProvider.ts";
import type { Images } from "./sections/images/images.ts";
import type { Observability } from "./sections/observability.ts";
import type { PostgresServer } from "./sections/postgres/postgres.ts";
import type { TestEnvironments } from "./sections/testEnvironments.ts";
import type { Verification } from "./sections/verification.ts";

export type { OAuth2Service } from "../protections/oauth2.ts";
export type { Service } from "../protections/table.ts";
export type { Backend } from "./sections/protectedServices/backend.ts";
export type { SecretText } from "./variables/secretText.ts";
export type { ClusterIdentity } from "./sections/cluster.ts";
export type { Catalog, DataApi, Deprecation } from "./sections/dataApi/dataApi.ts";
export type { Domain, Tls } from "./sections/domains/domains.ts";
export type { TraefikGateway } from "./sections/gateway.ts";
export type { IdentityProvider, SampleUser, ServiceAccount } from "./sections/identityProvider/identityProvider.ts";
export type { Images } from "./sections/images/images.ts";
export type { Observability } from "./sections/observability.ts";
export type { PostgresInstallation, PostgresServer } from "./sections/postgres/postgres.ts";
export type { TestEnvironments } from "./sections/testEnvironments.ts";
export type { Verification } from "./sections/verification.ts";

export interface Settings {
  /** Stack name: the part between `Pulumi.` and `.yaml`. */
  readonly stack: string;
  /** Name in the kubeconfig of the only cluster that this stack may touch: `kubernetes:context`, or another one of `cluster.contexts`. */
  readonly context: string | undefined;
  readonly cluster: ClusterIdentity;
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
