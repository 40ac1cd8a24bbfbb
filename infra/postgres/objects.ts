/** Names and labels of an installed server. Pure. */
import type { PostgresInstallation } from "../../config/settings.ts";
import { labelsOf } from "../pods.ts";

/** Name of an installed server, of the Service for the deploying machine, and of its other objects. */
export const NAME = "postgres";
/** The port of every Service of an installed server. */
export const PORT = 5432;

/** Labels of all pods of a server, by kind of installation. */
export const PODS: Readonly<Record<PostgresInstallation["kind"], Readonly<Record<string, string>>>> = {
  statefulset: labelsOf(NAME),
  cloudnativepg: { "cnpg.io/cluster": NAME },
};

/** Names of all Services of a server: those of the stack, and those that the operator creates (CloudNativePG docs, "Service Management"). */
export function serviceNames({ kind }: Pick<PostgresInstallation, "kind">): string[] {
  const more = kind === "statefulset" ? ["pods"] : ["rw", "ro", "r"];
  return [NAME, ...more.map((suffix) => `${NAME}-${suffix}`)];
}
