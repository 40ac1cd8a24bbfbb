import { createHash } from "node:crypto";
import type { Settings } from "../../config/settings.ts";

/**
 * Returns what decides who can connect, and to what, besides routes, groups and grants: as text, by name, for the access diff. Lists are sorted, and joined
 * with commas.
 */
export function connections({
  cluster,
  gateway,
  identityProvider,
  postgres,
  dataApi,
  observability,
  images,
  verification,
}: Settings): Readonly<Record<string, string>> {
  const { install, session, apiUrl } = identityProvider;
  const labels = Object.entries(gateway.podLabels).map((label) => label.join("="));
  return defined({
    cluster: [...cluster.contexts, ...(cluster.uid === undefined ? [] : [cluster.uid])].join(", ") || undefined,
    gateway: `${gateway.namespace}, pods with ${labels.toSorted().join(", ")}`,
    "length of a login": install ? session : undefined,
    "API of the identity provider": apiUrl,
    ...(postgres && postgresConnections(postgres, dataApi ? "database server of the data API" : "database server")),
    "namespace of Prometheus": observability?.namespace,
    "images without a digest": imagesText(images.required),
    "verification in the cluster": verification && verificationText(verification),
    ...Object.fromEntries(
      identityProvider.serviceAccounts.map(({ name, namespace }) => [
        `Secret of service account ${name}`,
        `in namespace ${namespace}`,
      ]),
    ),
    "namespace of PostgREST": dataApi?.namespace,
  });
}

function postgresConnections(
  { host, port, user, sslmode, sslrootcert, install }: NonNullable<Settings["postgres"]>,
  name: string,
) {
  if (install === undefined) {
    return {
      [name]: `${user}@${host}:${port}`,
      "encryption to the database server": [
        sslmode,
        ...(sslrootcert === undefined ? [] : [`certificate ${fingerprint(sslrootcert)}`]),
      ].join(", "),
    };
  }
  const { namespace, service, allowedFrom, clients, monitoring } = install;
  const networks = service === "LoadBalancer" && allowedFrom.length === 0 ? ["private networks"] : allowedFrom;
  return {
    [name]: `installed in namespace ${namespace}`,
    "Service of the database server": service,
    "networks that can connect to Postgres": listText(networks),
    "namespaces that can connect to Postgres": listText(clients),
    "namespace of Prometheus for Postgres": monitoring,
  };
}

function imagesText(required: boolean | undefined): string {
  if (required === undefined) return "accepted if only localhost is enabled";
  return required ? "refused" : "accepted";
}

function verificationText({ namespace, account, pushgateway }: NonNullable<Settings["verification"]>): string {
  return [`in namespace ${namespace}`, account && `as ${account}`, pushgateway && `metrics to ${pushgateway}`]
    .filter((part) => part)
    .join(", ");
}

/** Short, to distinguish certificates in a diff. */
function fingerprint(certificate: string): string {
  return createHash("sha256").update(certificate).digest("hex").slice(0, 16);
}

function listText(items: readonly string[]): string {
  return items.toSorted().join(", ") || "none";
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
