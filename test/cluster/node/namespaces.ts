/** Prepares the mount and network namespaces that the test runs in; the kernel removes both with the last process in them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { processIds, readProcess } from "../../../local/platform/procfs.ts";
import type { Paths } from "../paths.ts";
import { GATEWAY_IP, NODE_IP } from "./addresses.ts";

/** Kernel parameters of the whole machine that the kubelet sets (pkg/kubelet/cm), with the kubelet's values. */
const KUBELET_PARAMETERS = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
};
/** Folders that programs of the node write to, whatever their options are. */
const NODE_FOLDERS = ["/var/lib/kubelet", "/var/lib/cni", "/var/log/containers", "/var/log/pods"];
const CGROUPS = "/sys/fs/cgroup";
/**
 * CPU weight of all pods together, equal to 20 processes outside a cgroup (cgroup v1 and v2). The default is that of one process: next to 40
 * other processes, authentik's migrations did not finish within 8 min.
 */
const CPU_WEIGHT = { "cpu.shares": 20 * 1024, "cpu.weight": 20 * 100 };

/** Runs a program to its end. @throws Error with its standard error */
export function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Mounts the folder's own `/run` and node folders, and the project with a writable layer above it. */
export function prepareMounts({ state, project }: Paths, source: string): void {
  run("mount", "-t", "tmpfs", "tmpfs", "/run");
  for (const folder of NODE_FOLDERS) {
    const own = path.join(state, folder);
    for (const one of [own, folder]) mkdirSync(one, { recursive: true });
    run("mount", "--bind", own, folder);
  }
  for (const [name, value] of Object.entries(KUBELET_PARAMETERS)) {
    // The kubelet reads and writes this file. The kernel's value does not change.
    const file = path.join(state, "parameters", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${value}\n`);
    run("mount", "--bind", file, path.join("/proc/sys", name));
  }
  const [upper, work] = ["upper", "work"].map((name) => path.join(state, "project", name));
  for (const folder of [upper ?? "", work ?? "", project]) mkdirSync(folder, { recursive: true });
  run("mount", "-t", "overlay", "overlay", "-o", `lowerdir=${source},upperdir=${upper},workdir=${work}`, project);
}

/** Configures the node's address and a default route without a gateway that responds. */
export function prepareNetwork(): void {
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "uplink", "type", "veth", "peer", "name", "outside");
  run("ip", "address", "add", `${NODE_IP}/24`, "dev", "uplink");
  for (const name of ["uplink", "outside"]) run("ip", "link", "set", name, "up");
  run("ip", "route", "add", "default", "via", GATEWAY_IP);
  for (const [name, value] of Object.entries({
    "net/ipv4/ip_forward": "1",
    "net/bridge/bridge-nf-call-iptables": "1",
  })) {
    writeFileSync(path.join("/proc/sys", name), value);
  }
}

/** Creates the parent cgroup of all pods in every hierarchy. */
export function createCgroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    const folder = path.join(hierarchy, name);
    mkdirSync(folder, { recursive: true });
    // A cgroup of cpuset without these values accepts no process (cgroup v1).
    for (const file of ["cpuset.cpus", "cpuset.mems"]) {
      const inherited = path.join(hierarchy, file);
      if (existsSync(inherited)) writeFileSync(path.join(folder, file), readFileSync(inherited));
    }
    for (const [file, value] of Object.entries(CPU_WEIGHT)) {
      const weight = path.join(folder, file);
      if (existsSync(weight)) writeFileSync(weight, String(value));
    }
  }
}

/** Removes the parent cgroup with everything below it; no process may be left in it. */
export function removeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) removeBelow(path.join(hierarchy, name));
}

function removeBelow(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeBelow(path.join(folder, entry.name));
  }
  execFileSync("rmdir", [folder]);
}

/** The mounted hierarchies of cgroup v1, or the one of v2. */
function hierarchies(): string[] {
  if (existsSync(path.join(CGROUPS, "cgroup.controllers"))) return [CGROUPS];
  const found = readdirSync(CGROUPS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return found.map(({ name }) => path.join(CGROUPS, name)).filter((one) => existsSync(path.join(one, "cgroup.procs")));
}

/**
 * Removes the folders above where they are empty and no process has one mounted: the removal of a folder also ends the mounts on it in other
 * mount namespaces, such as those of another run.
 */
export function removeNodeFolders(): void {
  const mounted = mountPoints();
  for (const folder of NODE_FOLDERS) {
    if (mounted.has(folder) || !existsSync(folder) || readdirSync(folder).length > 0) continue;
    rmSync(folder, { recursive: true });
  }
}

/** Returns the mount points of all processes on this machine. */
function mountPoints(): Set<string> {
  return new Set(processIds().flatMap(mountPointsOf));
}

/** The mount point is the fifth field of a line (proc_pid_mountinfo(5)). */
function mountPointsOf(pid: number): string[] {
  const lines = readProcess(pid, "mountinfo").split("\n");
  return lines.flatMap((line) => line.split(" ")[4] ?? []);
}
