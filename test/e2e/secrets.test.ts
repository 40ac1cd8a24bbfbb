import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CustomObjectsApi, CoreV1Api, AppsV1Api, BatchV1Api } from "@kubernetes/client-node";
import { expect, inject, test } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";

/** Where secrets may stand in clear: files that only their owner can read, and the stores of the programs that need them. */
const KEEPERS = [
  /^context\.json$/,
  /^variables\.json$/,
  /^secrets\.json$/,
  /^kubeconfig$/,
  /^etcd\//,
  /^postgres\//,
  /^pods\//,
  /^kubernetes\//,
];

const secrets = (): [string, string][] => Object.entries(inject("platform").variables);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("no secret is in what npm start prints", () => {
  const { output } = inject("platform");
  expect(output.length).toBeGreaterThan(0);
  expect(
    secrets()
      .filter(([, value]) => output.includes(value))
      .map(([name]) => name),
  ).toEqual([]);
});

test("no secret is in clear in the engine's state, the stack file, a log or a report", () => {
  const { data } = inject("platform");
  const files = filesBelow(data).filter((file) => !KEEPERS.some((keeper) => keeper.test(relative(data, file))));
  expect(files.some((file) => file.includes("/state/"))).toBe(true);
  expect(files.some((file) => file.includes("/logs/"))).toBe(true);
  const found = files.flatMap((file) => {
    const text = readFileSync(file, "latin1");
    return secrets()
      .filter(([, value]) => text.includes(value))
      .map(([name]) => `${name} in ${relative(data, file)}`);
  });
  expect(found).toEqual([]);
});

test("the files that hold secrets are for their owner alone", () => {
  const { data } = inject("platform");
  for (const name of ["context.json", "variables.json", "secrets.json", "kubeconfig"]) {
    expect([name, (statSync(join(data, name)).mode & 0o777).toString(8)]).toEqual([name, "600"]);
  }
});

test("no secret is in a Kubernetes object other than a Secret", async () => {
  const config = new RetryingKubeConfig();
  config.loadFromFile(join(inject("platform").data, "kubeconfig"));
  const [core, apps, batch, custom] = [CoreV1Api, AppsV1Api, BatchV1Api, CustomObjectsApi].map((api) =>
    config.makeApiClient(api as never),
  ) as [CoreV1Api, AppsV1Api, BatchV1Api, CustomObjectsApi];
  const traefik = (plural: string): Promise<unknown> =>
    custom.listClusterCustomObject({ group: "traefik.io", version: "v1alpha1", plural });
  const objects = await Promise.all([
    core.listConfigMapForAllNamespaces(),
    core.listPodForAllNamespaces(),
    core.listServiceForAllNamespaces(),
    core.listEventForAllNamespaces(),
    apps.listDeploymentForAllNamespaces(),
    apps.listReplicaSetForAllNamespaces(),
    batch.listJobForAllNamespaces(),
    traefik("ingressroutes"),
    traefik("middlewares"),
  ]);
  const text = JSON.stringify(objects);
  expect(text).toContain("-forward-auth");
  expect(
    secrets()
      .filter(([, value]) => text.includes(value))
      .map(([name]) => name),
  ).toEqual([]);
});
