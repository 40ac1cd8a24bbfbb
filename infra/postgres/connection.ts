import { isIP } from "node:net";
import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { listensOnPrimary } from "../../config/sections/dataApi/postgrestVersions.ts";
import { installedSslmode } from "../../config/sections/postgres/sslModes.ts";
import type { PostgresInstallation, PostgresServer, SecretText } from "../../config/settings.ts";
import { namespaced } from "../network.ts";
import { urlHost } from "../urlHost.ts";
import { PORT } from "./objects.ts";
import type { Encryption } from "./tls.ts";

/** Address of the primary for pods, and the encryption of a connection to it. */
interface InCluster extends Encryption {
  readonly host: pulumi.Input<string>;
  readonly port: number;
  /** The same for a NetworkPolicy, which selects pods instead of Services; undefined = any address, because it cannot contain host names. */
  readonly peers: k8s.types.input.networking.v1.NetworkPolicyPeer[] | undefined;
}

/** A connection to the server that authentik and the data API share. */
export interface PostgresConnection {
  /** Its administrator. */
  readonly user: string;
  readonly superuser: boolean;
  readonly password: SecretText;
  readonly inCluster: InCluster;
  /** Host of its read replicas, on the same port; undefined without any. */
  readonly replicas: string | undefined;
  /** Whether databases that the stack creates are protected by default. On an existing server nothing else protects them. */
  readonly protect: boolean;
}

/** Returns the connection to an existing server, which pods reach at the same address as the deploying machine. */
export function existing({
  host = "",
  port,
  sslmode,
  sslrootcert,
  user,
  superuser,
  password,
}: PostgresServer): PostgresConnection {
  const cidr = isIP(host) === 0 ? undefined : `${host}/${isIP(host) === 4 ? 32 : 128}`;
  // Where the address is the cluster IP of a Service, policies see the addresses of its pods instead.
  const peers = cidr === undefined ? undefined : [{ ipBlock: { cidr } }, { namespaceSelector: {} }];
  const inCluster = { host, port, sslmode, sslrootcert, peers };
  return { user, superuser, password, inCluster, replicas: undefined, protect: true };
}

/** Returns whether a database that the stack creates is protected: as its section of the stack file states, else as the server's are. */
export function isProtected(
  { protect }: { readonly protect?: boolean | undefined },
  server: PostgresConnection,
): boolean {
  return protect ?? server.protect;
}

/** Returns the connection to a server that the stack installs. */
export function installed(
  { user, superuser, password }: PostgresServer,
  { kind, namespace, protect }: PostgresInstallation,
  host: pulumi.Input<string>,
  replicas?: string,
): PostgresConnection {
  return {
    user,
    superuser,
    password,
    inCluster: {
      host,
      port: PORT,
      peers: [namespaced(namespace)],
      sslmode: installedSslmode(kind),
    },
    replicas,
    protect,
  };
}

/** Role and database of a connection. */
interface Login {
  readonly user: string;
  readonly database: pulumi.Input<string>;
}

/**
 * Returns the URI with which PostgREST reads: from the replicas, or from the primary while no replica is available, if its version supports that (libpq,
 * "Specifying Multiple Hosts"); otherwise from the primary. All parts are percent-encoded. It contains no password.
 * @param version of PostgREST, as in `data_api.version`
 */
export function readingUri(
  { inCluster, replicas }: PostgresConnection,
  version: string,
  login: Login,
): pulumi.Output<string> {
  const { host, port, sslmode } = inCluster;
  const hosts = replicas !== undefined && listensOnPrimary(version) ? [replicas, host] : [host];
  const options = hosts.length === 1 ? "" : "&target_session_attrs=prefer-standby&connect_timeout=5";
  return pulumi.all([hosts, login.database]).apply(([names, database]) => {
    const addresses = names.map((name) => `${urlHost(name)}:${port}`).join(",");
    const [user, path] = [login.user, database].map(encodeURIComponent);
    return `postgres://${user}@${addresses}/${path}?sslmode=${sslmode}${options}`;
  });
}
