/** Root certificates of the server's CA in pods. */
import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Files } from "../pods.ts";
import type { PostgresConnection } from "./connection.ts";

const FOLDER = "/etc/gatehouse/postgres";
const FILE = "root.crt";

/** Root certificates as pods read them. */
export interface MountedCertificates {
  readonly files: Files;
  /** Path of the file in the container. */
  readonly path: string;
}

/**
 * Creates the ConfigMap for the pods of a namespace. Immutable and autonamed: changed certificates are rolled out to the pods.
 * @returns undefined for a server whose certificate is not verified
 */
export function mountedCertificates(
  name: string,
  { inCluster }: PostgresConnection,
  namespace: k8s.core.v1.Namespace,
  child: pulumi.CustomResourceOptions,
): MountedCertificates | undefined {
  const { sslrootcert } = inCluster;
  if (sslrootcert === undefined) return undefined;
  const configMap = new k8s.core.v1.ConfigMap(
    `${name}-root-certificates`,
    { metadata: { namespace: namespace.metadata.name }, immutable: true, data: { [FILE]: sslrootcert } },
    child,
  );
  const files = { folder: FOLDER, configMap: configMap.metadata.name, paths: { [FILE]: FILE } };
  return { files, path: `${FOLDER}/${FILE}` };
}

/** Returns the environment of a program that connects with libpq (libpq, "Environment Variables"). */
export function libpqEnvironment(certificates: MountedCertificates | undefined): { name: string; value: string }[] {
  return certificates === undefined ? [] : [{ name: "PGSSLROOTCERT", value: certificates.path }];
}
