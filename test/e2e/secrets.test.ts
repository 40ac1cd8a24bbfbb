import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CustomObjectsApi, CoreV1Api, AppsV1Api, BatchV1Api } from "@kubernetes/client-node";
import { expect, inject, test } from "vitest";
import { clusterConfig } from "./fixtures.ts";

/** Files that may contain secrets in plain text: files that only their owner can read, and the data of the programs that need them. */
const SECRET_FILES = [
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

test("prints no secret with npm start", () => {
  const { output } = inject("platform");
  expect(output.length).toBeGreaterThan(0);
  expect(
    secrets()
      .filter(([, value]) => output.includes(value))
      .map(([name]) => name),
  ).toEqual([]);
});

test("writes no secret in plain text to the engine's state, the stack file, logs and reports", () => {
  const { data } = inject("platform");
  const files = filesBelow(data).filter((file) => !SECRET_FILES.some((pattern) => pattern.test(relative(data, file))));
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

test("allows only the owner to read the files that contain secrets", () => {
  const { data } = inject("platform");
  for (const name of ["context.json", "variables.json", "secrets.json", "kubeconfig"]) {
    expect([name, (statSync(join(data, name)).mode & 0o777).toString(8)]).toEqual([name, "600"]);
  }
});

test("stores no secret in a Kubernetes object other than a Secret", async () => {
  const config = clusterConfig();
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
