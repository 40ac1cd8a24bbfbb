import { createHash } from "node:crypto";
import path from "node:path";
import { dataFolder } from "../../ops/toolchain/paths.ts";

/** The folder of the test cluster, next to that of the local platform. */
export function clusterFolder(): string {
  return `${dataFolder()}-cluster`;
}

/** Paths below the folder of the test cluster. */
export interface Paths {
  readonly folder: string;
  /** The tar file of all images. */
  readonly images: string;
  /** A checkout of the project in which `npx gatehouse deploy` runs; writes to it stay in the folder. */
  readonly project: string;
  readonly kubeconfig: string;
  /** Programs by name, see `main.ts`. */
  readonly programs: string;
  readonly logs: string;
  /** Data of the node: etcd, containerd, kubelet, volumes. */
  readonly state: string;
}

export function pathsIn(folder: string): Paths {
  const at = (name: string): string => path.join(folder, name);
  return {
    folder,
    images: at("images"),
    project: at("project"),
    kubeconfig: at("kubeconfig"),
    programs: at("programs.json"),
    logs: at("logs"),
    state: at("state"),
  };
}

/** Name of the parent cgroup of all pods; each folder has its own. */
export function cgroupName(folder: string): string {
  return `gatehouse-cluster-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`;
}
