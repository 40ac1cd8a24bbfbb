/** Configuration of the node's programs. */
import { totalmem } from "node:os";
import { stringify } from "yaml";
import { PAUSE } from "../images/images.ts";
import { API_PORT, CONTEXT, DNS_IP, NODE_IP, NODE_NAME, POD_RANGE } from "./addresses.ts";

/** Memory of the node in bytes: the recommended size of a local cluster. */
const NODE_MEMORY = 8 * 1024 ** 3;

/** Users of the API server: name → groups. */
const USERS = {
  [CONTEXT]: "system:masters",
  [`system:node:${NODE_NAME}`]: "system:nodes",
  "system:kube-controller-manager": "",
  "system:kube-scheduler": "",
  "system:kube-proxy": "",
};

/** The API server's token file. */
export function tokensFile(tokens: Readonly<Record<string, string>>): string {
  return Object.entries(USERS)
    .map(([user, groups]) => `${tokens[user]},${user},${user},"${groups}"\n`)
    .join("");
}

export function userNames(): string[] {
  return Object.keys(USERS);
}

/** @param ca certificate of the API server, in PEM */
export function kubeconfigOf(token: string, ca: Buffer): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: CONTEXT,
        cluster: { server: `https://${NODE_IP}:${API_PORT}`, "certificate-authority-data": ca.toString("base64") },
      },
    ],
    users: [{ name: CONTEXT, user: { token } }],
    contexts: [{ name: CONTEXT, context: { cluster: CONTEXT, user: CONTEXT } }],
    "current-context": CONTEXT,
  });
}

/** @param cgroupRoot parent cgroup of all pods */
export function kubeletConfiguration(cgroupRoot: string, socket: string, resolvConf: string): string {
  return stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: NODE_IP,
    // Only processes of this test are in the network namespace.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    clusterDNS: [DNS_IP],
    clusterDomain: "cluster.local",
    cgroupDriver: "cgroupfs",
    cgroupRoot,
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: `unix://${socket}`,
    resolvConf,
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    systemReserved: { memory: String(Math.max(0, totalmem() - NODE_MEMORY)) },
    enforceNodeAllocatable: ["pods"],
  });
}

export function kubeProxyConfiguration(kubeconfig: string): string {
  return stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clientConnection: { kubeconfig },
    clusterCIDR: POD_RANGE,
    mode: "iptables",
    hostnameOverride: NODE_NAME,
    // The defaults are of the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  });
}

/** @param dataDir folder that stores the addresses of pods */
export function networkConfiguration(dataDir: string): string {
  const ipam = { type: "host-local", dataDir, ranges: [[{ subnet: POD_RANGE }]], routes: [{ dst: "0.0.0.0/0" }] };
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      { type: "bridge", bridge: "pods0", isGateway: true, ipMasq: true, hairpinMode: true, ipam },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  });
}

/** `restrict_oom_score_adj` because a container engine may run this without CAP_SYS_RESOURCE. */
export function containerdConfiguration(root: string, state: string, socket: string, cni: string): string {
  return `version = 2
root = "${root}"
state = "${state}"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  restrict_oom_score_adj = true
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}
