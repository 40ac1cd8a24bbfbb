import { digestsRequired } from "../../config/sections/images/images.ts";
import { installedSslmode } from "../../config/sections/postgres/sslModes.ts";
import type { Settings } from "../../config/settings.ts";
import { labelTexts } from "../labels.ts";
import { shortHash } from "../shortHash.ts";
import { accountSecretName, DEFAULT_NETWORKS, SETTING_NAMES } from "./settingNames.ts";

const ONLY_LOCALHOST = "accepted (localhost is the only domain)";

/**
 * Returns what decides who can connect, and to what, besides routes, groups and grants: as text, by name, for the access diff. Lists are sorted, and joined
 * with commas.
 */
export function connections(settings: Settings): Readonly<Record<string, string>> {
  const { cluster, gateway, identityProvider, postgres, dataApi, observability, verification } = settings;
  const { install, session, url, apiUrl } = identityProvider;
  const labels = labelTexts(gateway.podLabels);
  return defined({
    [SETTING_NAMES.cluster]:
      [...cluster.contexts.toSorted(), ...(cluster.uid === undefined ? [] : [cluster.uid])].join(", ") || undefined,
    [SETTING_NAMES.gateway]: `${gateway.namespace}, pods with ${labels.toSorted().join(", ")}`,
    // Where localhost is enabled, pods send their requests to *.localhost there, with the credentials of clients (infra/gateway/clusterDns.ts).
    [SETTING_NAMES.gatewayService]: gateway.service,
    [SETTING_NAMES.loginLength]: install ? session : undefined,
    [SETTING_NAMES.identityProviderApi]: apiUrl === url ? undefined : apiUrl,
    ...(postgres && postgresConnections(postgres)),
    [SETTING_NAMES.prometheus]: observability?.namespace,
    [SETTING_NAMES.imageWithoutDigest]: imagesText(settings),
    [SETTING_NAMES.verification]: verification && verificationText(verification),
    ...Object.fromEntries(
      identityProvider.serviceAccounts.map(({ name, namespace }) => [
        accountSecretName(name),
        `in namespace ${namespace}`,
      ]),
    ),
    [SETTING_NAMES.postgrestNamespace]: dataApi?.namespace,
    [SETTING_NAMES.defaultSchema]: dataApi?.exposed[0],
    [SETTING_NAMES.writers]: dataApi && listText(dataApi.writers, "no other role"),
    ...credentials(settings),
  });
}

/** Returns the credentials of the stack as written: names of variables. */
function credentials({ identityProvider, postgres, dataApi }: Settings): Readonly<Record<string, string | undefined>> {
  const { token, adminPassword, secretKey, database, sampleUsers } = identityProvider;
  return {
    "token of the identity provider": token.template,
    "password of the identity provider's administrator": adminPassword?.template,
    "secret key of the identity provider": secretKey?.template,
    "password of the identity provider's database": database?.password.template,
    "password of the database server": postgres?.password.template,
    "password of the authenticator role": dataApi?.authenticatorPassword.template,
    "password of the owner role": dataApi?.ownerPassword.template,
    ...Object.fromEntries(
      sampleUsers.flatMap(({ username, password, name, email }) => [
        [`identity of sample user ${username}`, `${name}, ${email}`],
        [`password of sample user ${username}`, password.template],
      ]),
    ),
  };
}

function postgresConnections({ host, port, user, sslmode, sslrootcert, install }: NonNullable<Settings["postgres"]>) {
  if (install === undefined) {
    return {
      [SETTING_NAMES.databaseServer]: `${user}@${host}:${port}`,
      [SETTING_NAMES.databaseEncryption]: [
        sslmode,
        ...(sslrootcert === undefined ? [] : [`certificate ${shortHash(sslrootcert, 16)}`]),
      ].join(", "),
    };
  }
  const { kind, namespace, operatorNamespace, service, allowedFrom, clients, monitoring } = install;
  const networks = service === "LoadBalancer" && allowedFrom.length === 0 ? [DEFAULT_NETWORKS] : allowedFrom;
  return {
    [SETTING_NAMES.databaseServer]: `installed in namespace ${namespace}`,
    [SETTING_NAMES.databaseEncryption]: installedSslmode(kind),
    [SETTING_NAMES.databaseAddress]: host && `${host}:${port}`,
    [SETTING_NAMES.databaseService]: service,
    [SETTING_NAMES.databaseNetworks]: listText(networks, "no network"),
    [SETTING_NAMES.databaseNamespaces]: listText(clients, "no namespace"),
    [SETTING_NAMES.postgresPrometheus]: monitoring,
    [SETTING_NAMES.postgresOperator]: kind === "cloudnativepg" ? operatorNamespace : undefined,
  };
}

function imagesText(settings: Settings): string {
  if (digestsRequired(settings)) return "refused";
  return settings.images.required === false ? "accepted" : ONLY_LOCALHOST;
}

function verificationText({ namespace, account, pushgateway }: NonNullable<Settings["verification"]>): string {
  return [`in namespace ${namespace}`, account && `as ${account}`, pushgateway && `metrics to ${pushgateway}`]
    .filter((part) => part)
    .join(", ");
}

/** @param none text without items; with a space, since no item contains one */
function listText(items: readonly string[], none: string): string {
  return [...new Set(items)].toSorted().join(", ") || none;
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
