/** A Kubernetes cluster of one real node: etcd, API server, controllers, scheduler, containerd, kubelet, kube-proxy. */
import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Api } from "../../../local/platform/api.ts";
import { Processes, type Program } from "../../../local/platform/processes.ts";
import { cgroupName, type Paths } from "../paths.ts";
import { API_PORT, CONTEXT, NODE_IP, NODE_NAME, SERVICE_RANGE } from "./addresses.ts";
import {
  containerdConfiguration,
  kubeconfigOf,
  kubeletConfiguration,
  kubeProxyConfiguration,
  networkConfiguration,
  tokensFile,
  userNames,
} from "./configuration.ts";
import { createCgroup, run } from "./namespaces.ts";

/** Paths of the programs, by name. */
type Programs = Readonly<
  Record<"etcd" | "kube-apiserver" | "kube-controller-manager" | "kube-scheduler" | "kubelet" | "kube-proxy", string>
>;

const SOCKET = "/run/containerd/containerd.sock";

/** Starts every program of the node, imports the images, and returns when the node is registered. */
export async function startNode(programs: Programs, paths: Paths): Promise<Processes> {
  const processes = new Processes(paths.logs, `${paths.folder}:node`);
  const node = new NodePrograms(processes, programs, paths);
  const images = node.startContainerd().then(() => node.importImages());
  await node.startEtcd();
  await node.startApiServer();
  node.startClients();
  await images;
  node.startKubelet();
  return processes;
}

class NodePrograms {
  readonly #processes: Processes;
  readonly #programs: Programs;
  readonly #paths: Paths;
  readonly #tokens = Object.fromEntries(userNames().map((user) => [user, randomBytes(24).toString("hex")]));

  constructor(processes: Processes, programs: Programs, paths: Paths) {
    this.#processes = processes;
    this.#programs = programs;
    this.#paths = paths;
  }

  async startContainerd(): Promise<void> {
    const network = this.#write("cni/10-pods.conflist", networkConfiguration(this.#folder("addresses")));
    const file = this.#write(
      "containerd.toml",
      containerdConfiguration(this.#folder("containerd"), "/run/containerd", SOCKET, path.dirname(network)),
    );
    this.#start("containerd", "containerd", ["--config", file]);
    await this.#processes.until("containerd", () => Promise.resolve(run("ctr", "version").includes("Server:")));
  }

  /** Takes half a minute for a real authentik, while the other programs start. */
  async importImages(): Promise<void> {
    const archive = path.join(this.#paths.images, "images.tar");
    await promisify(execFile)("ctr", ["--namespace", "k8s.io", "images", "import", archive]);
  }

  async startEtcd(): Promise<void> {
    const [client, peer] = ["http://127.0.0.1:2379", "http://127.0.0.1:2380"] as const;
    const args = splitArguments(`--data-dir ${this.#folder("etcd")} --unsafe-no-fsync --log-level warn
      --listen-client-urls ${client} --advertise-client-urls ${client} --listen-peer-urls ${peer}
      --initial-advertise-peer-urls ${peer} --initial-cluster default=${peer}`);
    this.#start("etcd", this.#programs.etcd, args);
    await this.#processes.until("etcd", async () => (await fetch(`${client}/health`)).ok);
  }

  async startApiServer(): Promise<void> {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const accounts = {
      public: this.#write("accounts.pub", publicKey.export({ type: "spki", format: "pem" })),
      private: this.#write("accounts.key", privateKey.export({ type: "sec1", format: "pem" })),
    };
    const certificates = this.#folder("certificates");
    const args = splitArguments(`--etcd-servers http://127.0.0.1:2379 --bind-address 0.0.0.0 --secure-port ${API_PORT}
      --advertise-address ${NODE_IP} --cert-dir ${certificates} --service-cluster-ip-range ${SERVICE_RANGE}
      --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction --allow-privileged
      --token-auth-file ${this.#write("tokens.csv", tokensFile(this.#tokens))}
      --service-account-issuer https://kubernetes.default.svc.cluster.local
      --service-account-key-file ${accounts.public} --service-account-signing-key-file ${accounts.private}
      --kubelet-preferred-address-types InternalIP`);
    this.#start("kube-apiserver", this.#programs["kube-apiserver"], args);
    await this.#processes.until("kube-apiserver", async () => {
      const ca = readFileSync(path.join(certificates, "apiserver.crt"));
      for (const user of userNames()) writeFileSync(this.#kubeconfig(user), kubeconfigOf(this.#token(user), ca));
      const api = new Api(this.#paths.kubeconfig);
      try {
        return await api.isReady();
      } finally {
        await api.close();
      }
    });
  }

  /** Starts what only talks to the API server. */
  startClients(): void {
    const accounts = path.join(this.#paths.state, "accounts.key");
    const ca = path.join(this.#paths.state, "certificates", "apiserver.crt");
    const kubeconfig = (user: string): string => `--kubeconfig ${this.#kubeconfig(user)}`;
    const options = "--leader-elect=false --secure-port 0";
    this.#start(
      "kube-controller-manager",
      this.#programs["kube-controller-manager"],
      splitArguments(`${kubeconfig("system:kube-controller-manager")} ${options} --use-service-account-credentials
        --service-account-private-key-file ${accounts} --root-ca-file ${ca}`),
    );
    this.#start(
      "kube-scheduler",
      this.#programs["kube-scheduler"],
      splitArguments(`${kubeconfig("system:kube-scheduler")} ${options}`),
    );
    const proxy = this.#write("kube-proxy.yaml", kubeProxyConfiguration(this.#kubeconfig("system:kube-proxy")));
    this.#start("kube-proxy", this.#programs["kube-proxy"], ["--config", proxy]);
  }

  startKubelet(): void {
    const cgroup = cgroupName(this.#paths.folder);
    createCgroup(cgroup);
    // Lookups of unknown names fail immediately, because no server listens at this address.
    const resolvConf = this.#write("resolv.conf", `nameserver ${NODE_IP}\n`);
    const file = this.#write("kubelet.yaml", kubeletConfiguration(`/${cgroup}`, SOCKET, resolvConf));
    const args = splitArguments(`--config ${file} --kubeconfig ${this.#kubeconfig(`system:node:${NODE_NAME}`)}
      --hostname-override ${NODE_NAME} --node-ip ${NODE_IP} --v 2`);
    this.#start("kubelet", this.#programs.kubelet, args);
  }

  #start(name: string, command: string, args: readonly string[]): void {
    const program: Program = { name, command, args, cwd: this.#paths.state, stopSignal: "SIGTERM" };
    this.#processes.start(program);
  }

  #token(user: string): string {
    return this.#tokens[user] ?? "";
  }

  #kubeconfig(user: string): string {
    return user === CONTEXT ? this.#paths.kubeconfig : path.join(this.#paths.state, `${user}.kubeconfig`);
  }

  #folder(name: string): string {
    const folder = path.join(this.#paths.state, name);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    // etcd refuses a folder that others can read.
    chmodSync(folder, 0o700);
    return folder;
  }

  #write(name: string, content: string | Buffer): string {
    const file = path.join(this.#paths.state, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }
}

function splitArguments(text: string): string[] {
  return text.trim().split(/\s+/);
}
