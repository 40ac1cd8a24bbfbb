/** What a machine must have to run a real node. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { which } from "../../ops/launcher/which.js";

/** Debian packages, each with a file that shows that it is installed. */
const PACKAGES: Readonly<Record<string, string>> = {
  containerd: "containerd",
  runc: "runc",
  "containernetworking-plugins": "/usr/lib/cni/bridge",
  iptables: "iptables",
  ipset: "ipset",
  conntrack: "conntrack",
  iproute2: "ip",
  "postgresql-client": "/usr/share/postgresql-common/pg_wrapper",
};
/** What the node does in its namespaces; a seccomp profile, a missing kernel module or a read-only cgroup refuses it. */
const PROBE = `
  mount -t tmpfs tmpfs /mnt
  mkdir /mnt/lower /mnt/upper /mnt/work /mnt/merged
  mount -t overlay overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work /mnt/merged
  ip link add probe type bridge
  ip link add probe0 type veth peer name probe1
  ipset create probe hash:ip
  iptables --wait -I FORWARD -m conntrack --ctstate NEW -m set ! --match-set probe src -j REJECT
  iptables --wait -t nat -I POSTROUTING -j MASQUERADE
  test -d /proc/sys/net/bridge
  for procs in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
    test -e "$procs" || continue
    mkdir "$(dirname "$procs")/gatehouse-probe"
    rmdir "$(dirname "$procs")/gatehouse-probe"
  done
`;
/** The namespaces that the node runs in. */
export const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** CAP_SYS_ADMIN and CAP_NET_ADMIN of linux/capability.h, by bit. */
const CAPABILITIES = { CAP_SYS_ADMIN: 21, CAP_NET_ADMIN: 12 };

/**
 * Installs missing Debian packages.
 * @returns why no node can run on this machine, with what to do; undefined when one can
 */
export function installPrerequisites(note: (line: string) => void): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `it needs Linux on x64, this is ${process.platform} on ${process.arch}. Run it in a virtual machine.`;
  }
  if (process.getuid?.() !== 0) return "it needs root. Run it as root, or with sudo.";
  const capability = missingCapability();
  if (capability) return `root lacks ${capability} here. Run it outside of the container, or in a privileged one.`;
  return installPackages(note) ?? refusedByKernel();
}

/** @returns why packages are missing, with what to do; undefined when all are there */
function installPackages(note: (line: string) => void): string | undefined {
  const missing = missingPackages();
  if (missing.length === 0) return undefined;
  const install = `apt-get install ${missing.join(" ")}`;
  if (!existsSync("/etc/debian_version")) return `${missing.join(", ")} are missing, as Debian packages them.`;
  note(`Installing the Debian packages ${missing.join(", ")}`);
  try {
    execFileSync("apt-get", ["update", "--quiet=2"], { stdio: "pipe" });
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", ...missing], { stdio: "pipe", env });
  } catch (error) {
    const reason = String((error as { stderr?: Buffer }).stderr ?? error)
      .trim()
      .split("\n")
      .at(-1);
    return `Debian packages are missing and cannot be installed (${reason}). Run: ${install}`;
  }
  const still = missingPackages();
  return still.length === 0 ? undefined : `${still.join(", ")} are missing after: ${install}`;
}

/** Runs the probe in namespaces, which the kernel removes with it. */
function refusedByKernel(): string | undefined {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` };
  try {
    execFileSync("unshare", [...NAMESPACES, "sh", "-euc", PROBE], { stdio: "pipe", env });
    return undefined;
  } catch (error) {
    const [reason = ""] = String((error as { stderr?: Buffer }).stderr ?? error)
      .trim()
      .split("\n");
    return `this machine refuses what a node does (${reason}). Run it in a virtual machine.`;
  }
}

function missingPackages(): string[] {
  const searchPath = `${process.env["PATH"]}:/usr/sbin:/sbin`;
  const isMissing = (file: string): boolean =>
    file.startsWith("/") ? !existsSync(file) : which(file, searchPath) === undefined;
  return Object.entries(PACKAGES).flatMap(([name, file]) => (isMissing(file) ? [name] : []));
}

function missingCapability(): string | undefined {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  const bits = BigInt(`0x${effective}`);
  return Object.entries(CAPABILITIES).find(([, bit]) => (bits & (1n << BigInt(bit))) === 0n)?.[0];
}
