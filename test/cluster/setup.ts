/** Starts the node in the namespaces of this process, which main.ts created, for all tests of the folder. */
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { deployApplications } from "../../local/sample/applications.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { createProgress } from "../../ops/terminal/progress.ts";
import type { ToolName } from "../../ops/toolchain/tools.ts";
import type { Versions } from "./images/images.ts";
import { CONTEXT } from "./node/addresses.ts";
import { createBase } from "./node/base.ts";
import { prepareMounts, prepareNetwork } from "./node/namespaces.ts";
import { startNode } from "./node/node.ts";
import { delayNewPods } from "./node/policyDelay.ts";
import { clusterFolder, pathsIn } from "./paths.ts";

/** Values that main.ts prepared. */
export interface Prepared {
  /** Paths of programs and files. */
  readonly tools: Readonly<Record<Exclude<ToolName, "cloudnativepg-crds">, string>>;
  readonly versions: Versions;
  /** Folders with provider plugins. */
  readonly path: readonly string[];
}

/** Properties of the cluster that tests can inject. */
interface RunningCluster {
  readonly kubeconfig: string;
  readonly context: string;
  readonly project: string;
  readonly logs: string;
  /** Environment of a deploying shell, with the secrets of the stack. */
  readonly environment: Readonly<Record<string, string>>;
}

declare module "vitest" {
  interface ProvidedContext {
    cluster: RunningCluster;
  }
}

export default async function setup(project: TestProject): Promise<() => never> {
  const progress = createProgress();
  const paths = pathsIn(clusterFolder());
  const prepared = JSON.parse(readFileSync(paths.programs, "utf8")) as Prepared;
  const { tools, versions } = prepared;
  prepareMounts(paths, packageFolder());
  prepareNetwork();
  const processes = await progress.step("Node", () => startNode(tools, paths), "15 s");
  void processes.failed.then((error) => progress.note(error.message));
  const definitions = [tools["traefik-crds"], tools["externaldns-crds"]];
  await delayNewPods(paths.kubeconfig);
  await progress.step("CoreDNS and Traefik", () => createBase(paths, { definitions, ...versions }), "1 s");
  // Applications exist before the stack that protects them.
  await deployApplications(paths);
  copyFileSync(path.join(import.meta.dirname, "Pulumi.cluster.yaml"), path.join(paths.project, "Pulumi.cluster.yaml"));
  const environment = shellEnvironment(paths.folder, paths.kubeconfig, [...prepared.path, path.dirname(tools.pulumi)]);
  const { kubeconfig, logs, project: checkout } = paths;
  project.provide("cluster", { kubeconfig, context: CONTEXT, project: checkout, logs, environment });
  // The kernel ends every program with this process, the first of its process namespace.
  return () => process.exit();
}

/** Generates a value for every variable of the stack file. */
function shellEnvironment(folder: string, kubeconfig: string, programs: readonly string[]): Record<string, string> {
  const text = readFileSync(path.join(import.meta.dirname, "Pulumi.cluster.yaml"), "utf8");
  const names = new Set([...text.matchAll(/\$\{([A-Z_]+)\}/g)].flatMap(([, name]) => name ?? []));
  const secrets = Object.fromEntries([...names].map((name) => [name, randomBytes(24).toString("hex")]));
  const backend = path.join(folder, "backend");
  mkdirSync(backend, { recursive: true });
  return {
    ...secrets,
    KUBECONFIG: kubeconfig,
    GATEHOUSE_DATA: path.join(folder, "data"),
    PULUMI_HOME: path.join(folder, "data", "pulumi-home"),
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: randomBytes(24).toString("hex"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PATH: [...programs, process.env["PATH"]].join(path.delimiter),
  };
}
