import * as k8s from "@pulumi/kubernetes";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll } from "vitest";

import { startCluster } from "./cluster.ts";
import type { TestCluster } from "./cluster.ts";
import { openWorkshop } from "./stacks.ts";
import type { Workshop } from "./stacks.ts";

/** What a stack declares with its provider. */
export type Program = (provider: k8s.Provider) => void;

/** Filled before the first test. */
interface OnCluster {
  readonly workshop: Workshop;
  readonly cluster: TestCluster;
  /** A stack whose programs get a provider for the cluster, or for that of another kubeconfig. */
  open(stackName: string, kubeconfig?: string): Promise<{ stack: Stack; use: (program: Program) => void }>;
}

/** Starts a cluster for all tests of a file, and the emulator of the kubernetes plugin. */
export function onCluster(): OnCluster {
  let workshop: Workshop;
  let cluster: TestCluster;
  beforeAll(async () => {
    workshop = await openWorkshop("kubernetes");
    cluster = await startCluster(workshop.folder);
  });
  afterAll(async () => {
    await cluster.stop();
    await workshop.close();
  });
  return {
    get workshop() {
      return workshop;
    },
    get cluster() {
      return cluster;
    },
    open(stackName, kubeconfig = cluster.kubeconfig) {
      const args = { kubeconfig, clusterIdentifier: kubeconfig };
      return workshop.open(stackName, () => new k8s.Provider("cluster", args));
    },
  };
}
