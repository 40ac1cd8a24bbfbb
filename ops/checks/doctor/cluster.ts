/** The cluster: its identity, its version and the permissions of the user. */
import { StorageV1Api, type V1StorageClass } from "@kubernetes/client-node";
import type { PostgresInstallation } from "../../../config/sections/postgres/postgres.ts";
import type { Settings } from "../../../config/settings.ts";
import { missingNamespace, missingNamespaces, requiredNamespaces } from "../namespaces.ts";
import { deployedKinds, refusedPermissions } from "../permissions.ts";
import { type Check, failed, passed, skip } from "../check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { ifAllowed, prerequisiteChecks } from "./prerequisite.ts";

const STORAGE_CLASS = "storage class";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** Checks the API server: its identity, its version, the permissions of the user, and the storage class. */
export async function cluster(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  const { context } = inputs.target;
  return [
    passed("API server", `context ${context}, ${reached.config.getCurrentCluster()?.server ?? ""}`),
    identity(inputs, reached),
    ...prerequisiteChecks(inputs, reached, "Cluster"),
    ...(await namespaces(inputs, reached)),
    await permissions(inputs, reached),
    ...(await storage(inputs.target.settings, reached)),
  ];
}

/** Checks that the stack states the UID of the cluster. Another UID, and one that cannot be read, are refused before the checks. */
function identity({ target: { settings, stack } }: Inputs, { facts: { uid } }: ReachedCluster): Check {
  const name = "identity";
  if (settings.cluster.uid !== undefined) return passed(name, `UID ${settings.cluster.uid}, as in cluster.uid`);
  if (uid === undefined) {
    const hint = "allow the user to get it, to bind the stack to its UID";
    return skip(name, "the user may not read namespace kube-system", hint);
  }
  const hint = `add to Pulumi.${stack}.yaml, below config: gatehouse:cluster: { uid: ${uid} }`;
  return skip(name, "cluster.uid is not set, so only deploy recognizes another cluster", hint);
}

/** Checks each namespace that a deployment does not create. */
async function namespaces({ target: { settings, plan } }: Inputs, { config }: ReachedCluster): Promise<Check[]> {
  const name = "namespaces of services";
  const required = requiredNamespaces(settings, plan);
  if (required.length === 0) return [];
  const missing = await missingNamespaces(config, required);
  if (missing.length === 0) return [passed(name, required.join(", "))];
  return missing.map((one) => failed(name, missingNamespace(one).problem, missingNamespace(one).hint));
}

async function permissions({ target: { settings, plan } }: Inputs, { config }: ReachedCluster): Promise<Check> {
  const name = "permissions";
  const kinds = deployedKinds(settings, plan);
  const refused = await refusedPermissions(config, kinds);
  if (refused.length === 0)
    return passed(name, `all of the ${kinds.length} kinds and namespaces that the stack deploys`);
  const hint = "ask the cluster's administrator for a role with these permissions";
  return failed(name, `the user may not:\n${refused.join("\n")}`, hint);
}

/** Checks the storage class: an installed Postgres has volumes. */
export async function storage(
  { postgres }: Pick<Settings, "postgres">,
  { config }: Pick<ReachedCluster, "config">,
): Promise<Check[]> {
  const install = postgres?.install;
  if (!install) return [];
  const hint = "check that the class of postgres.install.storage_class exists, or a default one";
  const check = ifAllowed(STORAGE_CLASS, "the user may not list storage classes", hint, async () => {
    const { items } = await config.makeApiClient(StorageV1Api).listStorageClass();
    return storageClass(install, items);
  });
  return [await check];
}

function storageClass(install: PostgresInstallation, items: readonly V1StorageClass[]): Check {
  const names = items.map(({ metadata }) => metadata?.name ?? "");
  const stated = install.storageClass;
  if (stated !== undefined) {
    if (names.includes(stated)) return passed(STORAGE_CLASS, stated);
    const hint = names.length > 0 ? `use one of ${names.join(", ")}` : "install a storage provisioner";
    return failed(STORAGE_CLASS, `postgres.install.storage_class: the cluster has no storage class "${stated}"`, hint);
  }
  const usual = items.find(({ metadata }) => metadata?.annotations?.[DEFAULT_CLASS] === "true");
  if (usual) return passed(STORAGE_CLASS, `${usual.metadata?.name ?? ""} (default)`);
  const hint =
    names.length > 0
      ? `set postgres.install.storage_class to one of ${names.join(", ")}`
      : "install a storage provisioner, e.g. https://github.com/rancher/local-path-provisioner";
  return failed(STORAGE_CLASS, "postgres.install: the cluster has no default storage class", hint);
}
