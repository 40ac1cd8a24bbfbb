import * as k8s from "@pulumi/kubernetes";
import { describe, expect, it } from "vitest";

import { onCluster } from "./onCluster.ts";
import type { Program } from "./onCluster.ts";
import { preview } from "./stacks.ts";

const on = onCluster();

const containers = [{ name: "x", image: "none" }];

describe("the emulator of the kubernetes plugin", () => {
  it("waits until workloads are ready, and records one that does not become ready", async () => {
    const { stack, use } = await on.open("waiting");
    const selector = { matchLabels: { app: "x" } };
    const template = { metadata: { labels: selector.matchLabels }, spec: { containers } };
    const declare =
      (replicas: number): Program =>
      (provider) => {
        const space = new k8s.core.v1.Namespace("space", { metadata: { name: "space" } }, { provider });
        const annotations = { "pulumi.com/timeoutSeconds": "1", "example.org/space": space.metadata.uid };
        const metadata = { name: "web", namespace: space.metadata.name, annotations };
        new k8s.apps.v1.Deployment("web", { metadata, spec: { replicas, selector, template } }, { provider });
      };
    use(declare(1));
    expect(await preview(stack)).toEqual({ space: { steps: "create", diff: {} }, web: { steps: "create", diff: {} } });
    await expect(stack.up()).rejects.toThrow(
      /was successfully created, but .* failed to fully initialize or become live: of 1 replicas 1 are updated, 0 available/,
    );
    const { body } = await on.cluster.call("GET", "/api/v1/namespaces/space");
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    const web = await on.cluster.call("GET", "/apis/apps/v1/namespaces/space/deployments/web");
    expect(web.body).toMatchObject({ metadata: { annotations: { "example.org/space": uid } } });
    await stack.refresh();
    expect(await preview(stack)).toMatchObject({ web: { steps: "update", diff: {} } });
    use(declare(0));
    expect(await preview(stack)).toMatchObject({ web: { steps: "update", diff: { "spec.replicas": "update" } } });
    await stack.up();
    await stack.destroy();
    expect(await on.cluster.call("GET", "/api/v1/namespaces/space")).toMatchObject({ status: 404 });
  });

  it("replaces a failed Job with replaceUnready", async () => {
    const { stack, use } = await on.open("jobs");
    const declare =
      (annotations: Record<string, string>): Program =>
      (provider) => {
        const template = { spec: { restartPolicy: "Never", containers } };
        // Its deadline is over at once, and no Pod of it ever runs.
        const spec = { activeDeadlineSeconds: 1, template };
        new k8s.batch.v1.Job("once", { metadata: { name: "once", annotations }, spec }, { provider });
      };
    use(declare({ "pulumi.com/replaceUnready": "true" }));
    await expect(stack.up()).rejects.toThrow("[DeadlineExceeded] Job was active longer than specified deadline");
    expect(await preview(stack)).toEqual({
      once: { steps: "delete-replaced, replace, create-replacement", diff: {} },
    });
    use(declare({}));
    const diff = { 'metadata.annotations["pulumi.com/replaceUnready"]': "delete" };
    expect(await preview(stack)).toEqual({ once: { steps: "update", diff } });
    await stack.destroy();
  });

  it("patches some fields of an object of another manager, and removes only those", async () => {
    const { stack, use } = await on.open("patches");
    const path = "/api/v1/namespaces/default/configmaps";
    const declare =
      (data: Record<string, string>, annotations?: Record<string, string>): Program =>
      (provider) => {
        const metadata = { name: "shared", namespace: "default", annotations };
        new k8s.core.v1.ConfigMapPatch("patch", { metadata, data }, { provider });
      };
    const found = async (): Promise<unknown> =>
      ((await on.cluster.call("GET", `${path}/shared`)).body as { data: unknown }).data;
    await on.cluster.call("POST", path, { metadata: { name: "shared" }, data: { theirs: "1" } });

    use(declare({ ours: "1", more: "1" }));
    expect(await preview(stack)).toEqual({ patch: { steps: "create", diff: {} } });
    await stack.up();
    expect(await found()).toEqual({ theirs: "1", ours: "1", more: "1" });

    use(declare({ ours: "2" }));
    const diff = { "data.ours": "update", "data.more": "delete" };
    expect(await preview(stack)).toEqual({ patch: { steps: "update", diff } });
    await stack.up();
    expect(await found()).toEqual({ theirs: "1", ours: "2" });

    use(declare({ ours: "2", theirs: "2" }));
    await expect(stack.up()).rejects.toThrow(/Apply failed with 1 conflict: .*\.data\.theirs; .*patchForce: "true"/s);
    expect(await found()).toEqual({ theirs: "1", ours: "2" });
    use(declare({ ours: "2" }));
    await stack.up();

    await stack.destroy();
    expect(await found()).toEqual({ theirs: "1" });
  });
});
