import { rm } from "node:fs/promises";
import { killTagged } from "../../local/platform/processTag.ts";
import { removeCgroup, removeNodeFolders } from "./node/namespaces.ts";
import { cgroupName, type Paths } from "./paths.ts";

/**
 * Removes what the kernel does not remove with the namespaces: cgroups and files, also those of an interrupted run. Processes, interfaces,
 * mounts and iptables rules end with the last process of the namespaces.
 */
export async function removeLeftovers(paths: Paths): Promise<void> {
  await killTagged(`${paths.folder}:`);
  removeCgroup(cgroupName(paths.folder));
  removeNodeFolders();
  for (const name of ["images", "project", "kubeconfig", "state", "data", "plugins", "backend"]) {
    await rm(`${paths.folder}/${name}`, { recursive: true, force: true });
  }
}
