import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";

import { onCluster } from "./onCluster.ts";
import type { Program } from "./onCluster.ts";
import { preview } from "./stacks.ts";

const PASSWORD = "correct-horse-battery";

const on = onCluster();

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICE = "/api/v1/namespaces/default/services/shop";
const data = { color: "red", "size.max": "1" };

function service(provider: k8s.Provider, app = "x", annotations?: Record<string, string>): void {
  const spec = { selector: { app }, ports: [{ port: 8080 }] };
  new k8s.core.v1.Service("shop", { metadata: { name: "shop", annotations }, spec }, { provider });
}

describe("the emulator of the kubernetes plugin", () => {
  it("creates, updates in place, detects drift, and deletes", async () => {
    const { stack, use } = await on.open("life");
    use((provider) => service(provider));
    expect(await preview(stack)).toEqual({ shop: { steps: "create", diff: {} } });
    expect(await on.cluster.call("GET", SERVICE)).toMatchObject({ status: 404 });

    await stack.up();
    expect((await on.cluster.call("GET", SERVICE)).body).toMatchObject({
      metadata: { managedFields: [{ manager: "pulumi-kubernetes", operation: "Update" }] },
      spec: { ports: [{ port: 8080 }], clusterIP: expect.stringMatching(/^127\.96\./) as unknown },
    });
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 3 });

    use((provider) => service(provider, "w"));
    expect(await preview(stack)).toEqual({ shop: { steps: "update", diff: { "spec.selector.app": "update" } } });
    await stack.up();
    expect((await on.cluster.call("GET", SERVICE)).body).toMatchObject({
      metadata: { managedFields: [{ manager: expect.stringMatching(/^pulumi-kubernetes-/) as unknown }] },
      spec: { selector: { app: "w" } },
    });

    await on.cluster.call("PATCH", SERVICE, { spec: { selector: { app: "y" } } });
    await stack.refresh();
    await expect(stack.up()).rejects.toThrow(
      /Apply failed with 1 conflict: .*\.spec\.selector; .*pulumi\.com\/patchForce: "true"/s,
    );
    await stack.refresh();
    use((provider) => service(provider, "x", { "pulumi.com/patchForce": "true" }));
    const diff = { "metadata.annotations": "add", "spec.selector.app": "update" };
    expect(await preview(stack)).toEqual({ shop: { steps: "update", diff } });
    await stack.up();
    expect((await on.cluster.call("GET", SERVICE)).body).toMatchObject({ spec: { selector: { app: "x" } } });

    await on.cluster.call("PATCH", `${SERVICE}?fieldManager=kubectl-edit`, { spec: { selector: { app: "z" } } });
    await stack.refresh();
    use((provider) => service(provider));
    await stack.up();
    expect((await on.cluster.call("GET", SERVICE)).body).toMatchObject({ spec: { selector: { app: "x" } } });

    await stack.destroy();
    expect(await on.cluster.call("GET", SERVICE)).toMatchObject({ status: 404 });
  });

  it("replaces an object with an immutable field, in the order that its name allows", async () => {
    const { stack, use } = await on.open("replacement");
    const declare =
      (color: string): Program =>
      (provider) => {
        new k8s.core.v1.ConfigMap("drawn", { data: { ...data, color } }, { provider });
        new k8s.core.v1.ConfigMap("fixed", { metadata: { name: "fixed" }, data: { ...data, color } }, { provider });
      };
    use(declare("red"));
    await stack.up();
    use(declare("blue"));
    const diff = { "data.color": "update-replace" };
    expect(await preview(stack)).toEqual({
      drawn: { steps: "create-replacement, replace, delete-replaced", diff },
      fixed: { steps: "delete-replaced, replace, create-replacement", diff },
    });
    await stack.up();
    expect(await on.cluster.call("GET", `${CONFIG_MAPS}/fixed`)).toMatchObject({ body: { data: { color: "blue" } } });
    const { body } = await on.cluster.call("GET", CONFIG_MAPS);
    const names = (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual([expect.stringMatching(/^drawn-[0-9a-f]{8}$/), "fixed"]);
  });

  it("takes over an existing object only on request", async () => {
    const { stack, use } = await on.open("import");
    await on.cluster.call("POST", CONFIG_MAPS, { metadata: { name: "old" }, data });
    const declare =
      (options: pulumi.CustomResourceOptions): Program =>
      (provider) => {
        const metadata = { name: "old", namespace: "default" };
        new k8s.core.v1.ConfigMap("old", { metadata, data }, { provider, ...options });
      };
    use(declare({}));
    await expect(stack.up()).rejects.toThrow(/was not successfully created .*: configmaps "old" already exists/);
    use(declare({ import: "default/old" }));
    expect((await stack.up()).summary.resourceChanges).toEqual({ import: 1, same: 2 });
    use(declare({}));
    expect(await preview(stack)).toEqual({ old: { steps: "same", diff: {} } });
    await on.cluster.call("DELETE", `${CONFIG_MAPS}/old`);
    await stack.refresh();
    expect(await preview(stack)).toEqual({ old: { steps: "create", diff: {} } });
  });

  it("encrypts secrets in the state, and leaves them out of errors", async () => {
    const { stack, use } = await on.open("secrets");
    use((provider) => {
      const stringData = { password: pulumi.secret(PASSWORD) };
      const secret = new k8s.core.v1.Secret("login", { metadata: { name: "login" }, stringData }, { provider });
      const annotations = {
        "example.org/name": secret.metadata.name,
        "example.org/token": stringData.password,
      };
      new k8s.core.v1.ConfigMap("copy", { metadata: { name: "copy", annotations } }, { provider });
    });
    await stack.up();
    await stack.refresh();
    const state = await on.workshop.state("secrets");
    expect(state).toContain("default/login");
    expect(state).not.toContain(PASSWORD);
    expect(state).not.toContain(Buffer.from(PASSWORD).toString("base64"));
    expect(await preview(stack)).toMatchObject({ login: { steps: "same" }, copy: { steps: "same" } });
    expect(await on.cluster.call("GET", `${CONFIG_MAPS}/copy`)).toMatchObject({
      body: { metadata: { annotations: { "example.org/name": "login", "example.org/token": PASSWORD } } },
    });
  });

  it("exits when the engine is killed", async () => {
    const engine = createServer();
    engine.listen(0, "127.0.0.1");
    await once(engine, "listening");
    const plugin = spawn(on.workshop.plugin, [`127.0.0.1:${(engine.address() as AddressInfo).port}`]);
    const [session] = (await once(engine, "session")) as [ServerHttp2Session];
    // The plugin has responded, so that it is connected.
    await new Promise((resolve) => session.ping(resolve));
    expect(plugin.exitCode).toBe(null);
    session.destroy();
    engine.close();
    expect(await once(plugin, "exit")).toEqual([0, null]);
  });

  it("previews without a cluster, and replaces everything in another cluster", async () => {
    const nowhere = join(on.workshop.folder, "nowhere");
    const { stack, use } = await on.open("unreachable", nowhere);
    use((provider) => service(provider));
    expect(await preview(stack)).toEqual({ shop: { steps: "create", diff: {} } });
    await expect(stack.up()).rejects.toThrow(
      /configured Kubernetes cluster is unreachable: failed to parse kubeconfig data/,
    );
    let kubeconfig = on.cluster.kubeconfig;
    const moving = await on.workshop.open(
      "moving",
      () => new k8s.Provider("cluster", { kubeconfig, clusterIdentifier: kubeconfig }),
    );
    moving.use((provider) => service(provider));
    await moving.stack.up();
    kubeconfig = nowhere;
    const { shop } = await preview(moving.stack);
    expect(shop?.steps).toContain("create-replacement");
    kubeconfig = on.cluster.kubeconfig;
    await moving.stack.destroy();
  });
});
