/**
 * Names of the single values that the access diff compares. Access facts contain them, and the state of each deployment contains the facts: a
 * changed name reads as one setting removed and another added, unless the version in infra/access/record.ts is increased.
 */
export const SETTING_NAMES = {
  cluster: "cluster",
  gateway: "gateway",
  gatewayService: "Service of the gateway",
  loginLength: "length of a login",
  signInPage: "sign-in page",
  jwtSigner: "signer of X-idp-jwt",
  identityProvider: "identity provider",
  /** Address to which the superuser's token is sent; without it, that of the sign-in page. */
  identityProviderApi: "API of the identity provider",
  database: "database",
  superuserProtections: "protections that need a superuser",
  databaseServer: "database server",
  databaseEncryption: "encryption to the database server",
  /** Address to which a deployment sends the superuser's password. */
  databaseAddress: "address of the database server for the deployment",
  databaseService: "Service of the database server",
  databaseNetworks: "networks that can connect to Postgres",
  databaseNamespaces: "namespaces that can connect to Postgres",
  prometheus: "namespace of Prometheus",
  postgresPrometheus: "namespace of Prometheus for Postgres",
  postgresOperator: "namespace of the operator of Postgres",
  imageWithoutDigest: "an image without a digest",
  verification: "verification in the cluster",
  postgrestNamespace: "namespace of PostgREST",
  defaultSchema: "default schema of the data API",
  writers: "roles whose relations in exposed schemas are public, and that write to the catalog",
} as const;

/** Networks of an installed server with a load balancer and without `allowed_from`. */
export const DEFAULT_NETWORKS = "private networks";

/** Pattern of the names of credentials (`credentials` in connections.ts). */
export const CREDENTIAL_NAME = /^(token|secret key|password|identity) of /;
/** Pattern of the names of service accounts' Secrets ({@link accountSecretName}); the group is the account. */
export const ACCOUNT_SECRET_NAME = /^Secret of service account (.+)$/;

export function accountSecretName(account: string): string {
  return `Secret of service account ${account}`;
}
