import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { AppsV1Api, CoreV1Api, type V1Deployment } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { readable } from "../../infra/prerequisites/readable.ts";
import { applyYaml } from "../platform/api.ts";
import type { Platform } from "../platform/platform.ts";
import { isRolledOut, restartRollout } from "../rollout.ts";

/** How long the update of an application may take before the verification reports what is wrong, in milliseconds. */
const MAX_ROLLOUT_WAIT_MS = 300_000;
const POLL_MS = 200;

/** The sample applications, deployed. */
interface Applications {
  /**
   * Restarts each application whose Secret has changed since it was deployed, as `kubectl rollout restart` does, because a container reads
   * its Secret when it starts; then waits until every Deployment of the cluster is up to date. After a restart of the platform, the engine changes none and
   * waits for none, and authentik's worker took 70 s to start (measured with a real one).
   */
  readonly update: () => Promise<void>;
}

type Key = Readonly<Record<"name" | "namespace", string>>;

/** Deploys the sample applications, or brings them up to date; does not wait for them, since they wait for the stack. */
export async function deployApplications({ kubeconfig }: Pick<Platform, "kubeconfig">): Promise<Applications> {
  const text = await readFile(new URL("applications.yaml", import.meta.url), "utf8");
  await applyYaml(kubeconfig, text);
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const [apps, core] = [config.makeApiClient(AppsV1Api), config.makeApiClient(CoreV1Api)];
  const deployed = parseAllDocuments(text)
    .map((document) => document.toJS() as V1Deployment)
    .filter(({ kind }) => kind === "Deployment");
  const credentials = await Promise.all(deployed.map((deployment) => credentialsOf(core, deployment)));
  const restartChanged = async (deployment: V1Deployment, before: string | undefined): Promise<void> => {
    const changed = before !== undefined && before !== (await credentialsOf(core, deployment));
    if (changed) await restartRollout(apps, keyOf(deployment));
  };
  return {
    update: async () => {
      await Promise.all(deployed.map((deployment, i) => restartChanged(deployment, credentials[i])));
      const { items } = await apps.listDeploymentForAllNamespaces();
      await Promise.all(items.map((deployment) => rolledOut(apps, keyOf(deployment))));
    },
  };
}

/** The data of the Secrets in the environment of a Deployment's containers; undefined while one does not exist. */
async function credentialsOf(core: CoreV1Api, deployment: V1Deployment): Promise<string | undefined> {
  const { namespace } = keyOf(deployment);
  const names = (deployment.spec?.template.spec?.containers ?? [])
    .flatMap(({ envFrom = [] }) => envFrom)
    .flatMap(({ secretRef }) => secretRef?.name ?? []);
  const reading = Promise.all(names.map((name) => core.readNamespacedSecret({ name, namespace })));
  const secrets = await readable(reading, [404]);
  return secrets && JSON.stringify(secrets.map(({ data }) => data));
}

/** Waits as `kubectl rollout status` does. */
async function rolledOut(apps: AppsV1Api, key: Key): Promise<void> {
  for (const end = Date.now() + MAX_ROLLOUT_WAIT_MS; Date.now() < end; await pause(POLL_MS)) {
    if (isRolledOut(await apps.readNamespacedDeployment(key))) return;
  }
}

function keyOf({ metadata }: V1Deployment): Key {
  return { name: metadata?.name ?? "", namespace: metadata?.namespace ?? "" };
}
