import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createProgress } from "../../ops/progress.ts";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";
import { startCluster } from "./cluster.ts";
import type { TestCluster } from "./cluster.ts";

const PASSWORD = "correct-horse-battery";

let folder: string;
let cluster: TestCluster;
let command: PulumiCommand;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-kubernetes-"));
  const { pulumi: cli } = await ensureTools(["pulumi"], createProgress());
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "state"));
  await symlink(cli, join(folder, "bin", "pulumi"));
  const plugin = join(folder, "bin", "pulumi-resource-kubernetes");
  await writeFile(
    plugin,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve("local/plugins/kubernetes/main.ts")}" "$@"\n`,
  );
  await chmod(plugin, 0o755);
  cluster = await startCluster(folder);
  command = await PulumiCommand.get({ root: folder, skipVersionCheck: true });
});

afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

type Program = (provider: k8s.Provider) => void;

/** A stack of its own for each test, with a provider for the cluster. */
async function open(
  stackName: string,
  kubeconfig = cluster.kubeconfig,
): Promise<{ stack: Stack; use: (program: Program) => void }> {
  let current: Program = () => undefined;
  const program = (): Promise<void> => {
    current(new k8s.Provider("cluster", { kubeconfig }));
    return Promise.resolve();
  };
  const envVars = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "live",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const stack = await LocalWorkspace.createStack(
    { stackName, projectName: "live", program },
    { pulumiCommand: command, envVars },
  );
  return { stack, use: (next) => (current = next) };
}

/** What a preview says about each resource but the stack and the provider: the step, and what changes at which path. */
async function preview(stack: Stack): Promise<Record<string, { op: string; diff: Record<string, string> }>> {
  const steps: Record<string, { op: string; diff: Record<string, string> }> = {};
  const onEvent = ({ resourcePreEvent }: EngineEvent): void => {
    const step = resourcePreEvent?.metadata;
    if (!step || step.type.startsWith("pulumi:")) return;
    const diff = Object.entries(step.detailedDiff ?? {}).map(([path, change]) => [
      path,
      (change as { diffKind: string }).diffKind,
    ]);
    steps[step.urn.split("::").at(-1) ?? ""] = {
      op: step.op,
      diff: Object.fromEntries(diff) as Record<string, string>,
    };
  };
  await stack.preview({ onEvent });
  return steps;
}

function configMap(path: string): Promise<{ status: number; body: unknown }> {
  return cluster.call("GET", `/api/v1/namespaces/default/configmaps/${path}`);
}

const data = { color: "red", "size.max": "1" };

function service(provider: k8s.Provider, port: number): void {
  const spec = { selector: { app: "x" }, ports: [{ port }] };
  new k8s.core.v1.Service("shop", { metadata: { name: "shop" }, spec }, { provider });
}

describe("the stand-in for the kubernetes plugin", () => {
  it("creates, changes in place, sees what others did, and deletes", async () => {
    const { stack, use } = await open("life");
    use((provider) => service(provider, 8080));
    expect(await preview(stack)).toEqual({ shop: { op: "create", diff: {} } });
    expect(await cluster.call("GET", "/api/v1/namespaces/default/services/shop")).toMatchObject({ status: 404 });

    await stack.up();
    const made = await cluster.call("GET", "/api/v1/namespaces/default/services/shop");
    expect(made.body).toMatchObject({
      spec: { ports: [{ port: 8080 }], clusterIP: expect.stringMatching(/^127\.96\./) as unknown },
    });
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 3 });
    expect((await stack.refresh()).summary.resourceChanges).toEqual({ same: 3 });
    expect(await preview(stack)).toEqual({ shop: { op: "same", diff: {} } });

    use((provider) => service(provider, 8081));
    expect(await preview(stack)).toEqual({ shop: { op: "update", diff: { "spec.ports[0].port": "update" } } });
    await stack.up();

    await cluster.call("PATCH", "/api/v1/namespaces/default/services/shop", { spec: { selector: { app: "y" } } });
    expect(await preview(stack)).toEqual({ shop: { op: "same", diff: {} } });
    await stack.refresh();
    expect(await preview(stack)).toEqual({ shop: { op: "update", diff: { "spec.selector.app": "update" } } });
    await expect(stack.up()).rejects.toThrow(
      /Service "default\/shop": Apply failed with 1 conflict: .*\.spec\.selector; .*pulumi\.com\/patchForce: "true"/s,
    );

    await stack.destroy();
    expect(await cluster.call("GET", "/api/v1/namespaces/default/services/shop")).toMatchObject({ status: 404 });
  });

  it("replaces what cannot change, in the order that its name allows", async () => {
    const { stack, use } = await open("replacement");
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
    expect(await preview(stack)).toEqual({ drawn: { op: "replace", diff }, fixed: { op: "replace", diff } });
    await stack.up();
    expect(await configMap("fixed")).toMatchObject({ body: { data: { color: "blue" } } });
    const { body } = await configMap("");
    const names = (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual([expect.stringMatching(/^drawn-[0-9a-f]{8}$/), "fixed"]);
    await stack.destroy();
  });

  it("takes over what is there, and only when told to", async () => {
    const { stack, use } = await open("import");
    await cluster.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "old" }, data });
    const declare =
      (options: pulumi.CustomResourceOptions): Program =>
      (provider) => {
        new k8s.core.v1.ConfigMap(
          "old",
          { metadata: { name: "old", namespace: "default" }, data },
          { provider, ...options },
        );
      };
    use(declare({}));
    await expect(stack.up()).rejects.toThrow('ConfigMap "default/old": it already exists; import it');
    use(declare({ import: "default/old" }));
    expect((await stack.up()).summary.resourceChanges).toEqual({ import: 1, same: 2 });
    use(declare({}));
    expect(await preview(stack)).toEqual({ old: { op: "same", diff: {} } });
    await cluster.call("DELETE", "/api/v1/namespaces/default/configmaps/old");
    await stack.refresh();
    expect(await preview(stack)).toEqual({ old: { op: "create", diff: {} } });
    await stack.destroy();
  });

  it("keeps secrets secret, in the state and in errors", async () => {
    const { stack, use } = await open("secrets");
    const declare =
      (type: string): Program =>
      (provider) => {
        const stringData = { password: pulumi.secret(PASSWORD) };
        const secret = new k8s.core.v1.Secret("login", { metadata: { name: "login" }, stringData, type }, { provider });
        const annotations = { "example.org/token": secret.stringData.apply(({ password = "" }) => password) };
        new k8s.core.v1.ConfigMap("copy", { metadata: { name: "copy", annotations } }, { provider });
      };
    use(declare("Opaque"));
    await stack.up();
    await stack.refresh();
    const state = JSON.stringify(await stack.exportStack());
    expect(state).not.toContain(PASSWORD);
    expect(state).not.toContain(Buffer.from(PASSWORD).toString("base64"));
    expect(await preview(stack)).toMatchObject({ login: { op: "same" }, copy: { op: "same" } });
    expect(await configMap("copy")).toMatchObject({
      body: { metadata: { annotations: { "example.org/token": PASSWORD } } },
    });
    await stack.destroy();
  });

  it("waits for what needs time, and keeps what does not come to work", async () => {
    const { stack, use } = await open("waiting");
    const selector = { matchLabels: { app: "x" } };
    const template = {
      metadata: { labels: selector.matchLabels },
      spec: { containers: [{ name: "x", image: "none" }] },
    };
    const declare =
      (replicas: number): Program =>
      (provider) => {
        const space = new k8s.core.v1.Namespace("space", { metadata: { name: "space" } }, { provider });
        const metadata = {
          name: "web",
          namespace: space.metadata.name,
          annotations: { "pulumi.com/timeoutSeconds": "1" },
        };
        new k8s.apps.v1.Deployment("web", { metadata, spec: { replicas, selector, template } }, { provider });
      };
    use(declare(1));
    expect(await preview(stack)).toEqual({ space: { op: "create", diff: {} }, web: { op: "create", diff: {} } });
    await expect(stack.up()).rejects.toThrow('Deployment "space/web": 0 of 1 replicas are updated and available');
    use(declare(0));
    expect(await preview(stack)).toMatchObject({ web: { op: "update", diff: { "spec.replicas": "update" } } });
    await stack.up();
    await stack.destroy();
    expect(await cluster.call("GET", "/api/v1/namespaces/space")).toMatchObject({ status: 404 });
  });

  it("knows a kind as soon as its definition stands", async () => {
    const { stack, use } = await open("kinds");
    use((provider) => {
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const definition = new k8s.apiextensions.v1.CustomResourceDefinition(
        "jars",
        {
          metadata: { name: "jars.example.org" },
          spec: {
            group: "example.org",
            names: { kind: "Jar", plural: "jars" },
            scope: "Namespaced",
            versions: [{ name: "v1", served: true, storage: true, schema }],
          },
        },
        { provider },
      );
      for (let number = 0; number < 50; number += 1) {
        const args = {
          apiVersion: "example.org/v1",
          kind: "Jar",
          metadata: { name: `jar-${number}` },
          spec: { number },
        };
        new k8s.apiextensions.CustomResource(`jar-${number}`, args, { provider, dependsOn: definition });
      }
    });
    expect(Object.keys(await preview(stack))).toHaveLength(51);
    expect((await stack.up()).summary.resourceChanges).toEqual({ create: 53 });
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 53 });
    await stack.destroy();
  });

  it("previews without a cluster, and says that it could not ask", async () => {
    const { stack, use } = await open("unreachable", join(folder, "nowhere"));
    use((provider) => service(provider, 8080));
    const messages: string[] = [];
    await stack.preview({ onOutput: (text) => messages.push(text) });
    expect(messages.join("")).toMatch(
      /nowhere" does not exist; set kubernetes:kubeconfig; this preview was made without it/,
    );
    await expect(stack.up()).rejects.toThrow(/Service "shop": the kubeconfig .*nowhere" does not exist/);
  });
});
