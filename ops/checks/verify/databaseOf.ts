/** The address of the data API's database from this machine. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { UserError } from "../../../config/errors/userError.ts";
import { NAME } from "../../../infra/postgres/objects.ts";
import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import { ownDatabase } from "../../clients/databaseAddress.ts";
import { LockFolder } from "../contract/lockFolder.ts";
import type { DatabaseTarget } from "./database.ts";
import type { Secrets } from "../secrets.ts";
import { errorText } from "../../../config/errors/errorText.ts";

/** Why something cannot be checked from this machine. */
export interface Unreachable {
  readonly reason: string;
  readonly hint: string;
  /** The cluster does not answer, which is a failure. */
  readonly failed?: true;
}

const FORWARD = "set postgres.install.host to an address that this machine reaches, e.g. through kubectl port-forward";

/**
 * Finds the database as a deployment does: at `postgres.host`, at `postgres.install.host`, or at the address of the installed Service.
 * @param database default: that of the data API
 * @param cluster where the Service is, or why the cluster cannot be read
 * @returns the database and its contracts, or why they cannot be checked from this machine
 */
export async function databaseOf(
  context: StackContext,
  shell: ShellEnvironment,
  secrets: Pick<Secrets, "known" | "problem">,
  cluster: KubeConfig | Unreachable,
  database?: string,
): Promise<DatabaseTarget | Unreachable> {
  const { stack, settings } = context;
  try {
    const stated = settings.postgres?.host;
    const host = stated ?? (await serviceAddress(settings.postgres?.install?.namespace ?? "", cluster));
    const values = { ...context, environment: { ...context.environment, ...secrets.known } };
    const connection = ownDatabase(values, host, database);
    return {
      connection,
      contracts: new LockFolder(shell.project, stack),
      ...(stated === undefined && { hint: FORWARD }),
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { problem, hint = "" } = error;
    return { reason: secrets.problem === undefined ? problem : `${problem} (${secrets.problem})`, hint };
  }
}

async function serviceAddress(namespace: string, cluster: KubeConfig | Unreachable): Promise<string> {
  const problem = `the address of Service ${namespace}/${NAME} is not known`;
  if ("reason" in cluster) throw new UserError(`${problem}: ${cluster.reason}`, FORWARD);
  const read = cluster.makeApiClient(CoreV1Api).readNamespacedService({ name: NAME, namespace });
  const { spec } = await read.catch((error: unknown) => {
    throw new UserError(`${problem}: ${errorText(error)}`, FORWARD);
  });
  if (!spec?.clusterIP) throw new UserError(problem, FORWARD);
  return spec.clusterIP;
}
