import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
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

/** What a preview says about each resource but the stack and the provider: the steps in their order, and what changes at which path. */
async function preview(stack: Stack): Promise<Record<string, { steps: string; diff: Record<string, string> }>> {
  const told: Record<string, { steps: string; diff: Record<string, string> }> = {};
  const onEvent = ({ resourcePreEvent }: EngineEvent): void => {
    const step = resourcePreEvent?.metadata;
    if (!step || step.type.startsWith("pulumi:")) return;
    const name = step.urn.split("::").at(-1) ?? "";
    const steps = told[name] ? `${told[name].steps}, ${step.op}` : step.op;
    const changes = Object.entries((step.detailedDiff ?? {}) as Record<string, { diffKind: string }>);
    told[name] = {
      steps,
      diff: { ...told[name]?.diff, ...Object.fromEntries(changes.map(([path, { diffKind }]) => [path, diffKind])) },
    };
  };
  await stack.preview({ onEvent });
  return told;
}

function configMap(path: string): Promise<{ status: number; body: unknown }> {
  return cluster.call("GET", `/api/v1/namespaces/default/configmaps/${path}`);
}

const data = { color: "red", "size.max": "1" };

function service(provider: k8s.Provider, port: number, annotations?: Record<string, string>): void {
  const spec = { selector: { app: "x" }, ports: [{ port }] };
  new k8s.core.v1.Service("shop", { metadata: { name: "shop", annotations }, spec }, { provider });
}

describe("the stand-in for the kubernetes plugin", () => {
  it("creates, changes in place, sees what others did, and deletes", async () => {
    const { stack, use } = await open("life");
    use((provider) => service(provider, 8080));
    expect(await preview(stack)).toEqual({ shop: { steps: "create", diff: {} } });
    expect(await cluster.call("GET", "/api/v1/namespaces/default/services/shop")).toMatchObject({ status: 404 });

    await stack.up();
    const made = await cluster.call("GET", "/api/v1/namespaces/default/services/shop");
    expect(made.body).toMatchObject({
      spec: { ports: [{ port: 8080 }], clusterIP: expect.stringMatching(/^127\.96\./) as unknown },
    });
    expect((await stack.up()).summary.resourceChanges).toEqual({ same: 3 });

    use((provider) => service(provider, 8081));
    expect(await preview(stack)).toEqual({ shop: { steps: "update", diff: { "spec.ports[0].port": "update" } } });
    await stack.up();

    await cluster.call("PATCH", "/api/v1/namespaces/default/services/shop", { spec: { selector: { app: "y" } } });
    await stack.refresh();
    await expect(stack.up()).rejects.toThrow(
      /Service "default\/shop": Apply failed with 1 conflict: .*\.spec\.selector; .*pulumi\.com\/patchForce: "true"/s,
    );
    use((provider) => service(provider, 8081, { "pulumi.com/patchForce": "true" }));
    const diff = { "metadata.annotations": "add", "spec.selector.app": "update" };
    expect(await preview(stack)).toEqual({ shop: { steps: "update", diff } });
    await stack.up();
    const mended = await cluster.call("GET", "/api/v1/namespaces/default/services/shop");
    expect(mended.body).toMatchObject({ spec: { selector: { app: "x" } } });

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
    expect(await preview(stack)).toEqual({
      drawn: { steps: "create-replacement, replace, delete-replaced", diff },
      fixed: { steps: "delete-replaced, replace, create-replacement", diff },
    });
    await stack.up();
    expect(await configMap("fixed")).toMatchObject({ body: { data: { color: "blue" } } });
    const { body } = await configMap("");
    const names = (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual([expect.stringMatching(/^drawn-[0-9a-f]{8}$/), "fixed"]);
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
    expect(await preview(stack)).toEqual({ old: { steps: "same", diff: {} } });
    await cluster.call("DELETE", "/api/v1/namespaces/default/configmaps/old");
    await stack.refresh();
    expect(await preview(stack)).toEqual({ old: { steps: "create", diff: {} } });
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
    const state = await readFile(join(folder, "state", ".pulumi", "stacks", "live", "secrets.json"), "utf8");
    expect(state).toContain("default/login");
    expect(state).not.toContain(PASSWORD);
    expect(state).not.toContain(Buffer.from(PASSWORD).toString("base64"));
    expect(await preview(stack)).toMatchObject({ login: { steps: "same" }, copy: { steps: "same" } });
    expect(await configMap("copy")).toMatchObject({
      body: { metadata: { annotations: { "example.org/token": PASSWORD } } },
    });
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
          annotations: { "pulumi.com/timeoutSeconds": "1", "example.org/space": space.metadata.uid },
        };
        new k8s.apps.v1.Deployment("web", { metadata, spec: { replicas, selector, template } }, { provider });
      };
    use(declare(1));
    expect(await preview(stack)).toEqual({ space: { steps: "create", diff: {} }, web: { steps: "create", diff: {} } });
    await expect(stack.up()).rejects.toThrow('Deployment "space/web": 0 of 1 replicas are updated and available');
    const { body } = await cluster.call("GET", "/api/v1/namespaces/space");
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    const web = await cluster.call("GET", "/apis/apps/v1/namespaces/space/deployments/web");
    expect(web.body).toMatchObject({ metadata: { annotations: { "example.org/space": uid } } });
    use(declare(0));
    expect(await preview(stack)).toMatchObject({ web: { steps: "update", diff: { "spec.replicas": "update" } } });
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
  });

  it("ends when the engine is killed", async () => {
    const engine = createServer();
    engine.listen(0, "127.0.0.1");
    await once(engine, "listening");
    const plugin = spawn(join(folder, "bin", "pulumi-resource-kubernetes"), [
      `127.0.0.1:${(engine.address() as AddressInfo).port}`,
    ]);
    const [session] = (await once(engine, "session")) as [ServerHttp2Session];
    // The plugin has answered, so it knows that it is connected.
    await new Promise((resolve) => session.ping(resolve));
    expect(plugin.exitCode).toBe(null);
    session.destroy();
    engine.close();
    expect(await once(plugin, "exit")).toEqual([0, null]);
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
