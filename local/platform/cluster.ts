import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { Api, type Kubeconfig } from "./api.ts";
import type { Processes } from "./processes.ts";
import { replaceFile } from "../../ops/toolchain/replaceFile.ts";

/** Name of the kubeconfig's context. */
export const CONTEXT = "gatehouse-local";
/** Controllers that create Pods and finish deletions. Endpoint controllers are left out, because they refuse loopback addresses. */
const CONTROLLERS = [
  "namespace-controller",
  "garbage-collector-controller",
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "persistentvolumeclaim-protection-controller",
  "job-controller",
  "cronjob-controller",
  "disruption-controller",
  "horizontal-pod-autoscaler-controller",
];

interface ClusterPrograms {
  readonly etcd: string;
  readonly "kube-apiserver": string;
}

interface ClusterOptions {
  /** The data folder of the platform. */
  readonly data: string;
  readonly port: number;
  /** Of the administrator. */
  readonly token: string;
  /** Path of the file to write. */
  readonly kubeconfig: string;
  /** CIDR of cluster IPs; a process that listens on a Service's address is that Service. */
  readonly services: string;
}

/** Starts etcd (on a Unix socket that only this user can open) and the API server, and writes a kubeconfig of an administrator. */
export async function startCluster(
  processes: Processes,
  programs: ClusterPrograms,
  options: ClusterOptions,
): Promise<void> {
  const folder = clusterFolder(options.data);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await startEtcd(processes, programs.etcd, folder);
  await startApiServer(processes, programs["kube-apiserver"], folder, options);
}

/** Returns the paths of the API server's certificate, self-signed, and of its key. */
export function apiServerCertificate(data: string): { readonly certificate: string; readonly key: string } {
  const file = path.join(clusterFolder(data), "certificates", "apiserver");
  return { certificate: `${file}.crt`, key: `${file}.key` };
}

function clusterFolder(data: string): string {
  return path.join(data, "kubernetes");
}

/** Starts the controllers of Deployments, Jobs, deletions. */
export function startControllers(processes: Processes, program: string, kubeconfig: string): void {
  const options = splitArguments(`--controllers=${CONTROLLERS.join(",")} --leader-elect=false --secure-port=0
    --kube-api-qps=200 --kube-api-burst=400`);
  const args = ["--kubeconfig", kubeconfig, ...options];
  processes.start({ name: "kube-controller-manager", command: program, args, stopSignal: "SIGKILL" });
}

async function startEtcd(processes: Processes, command: string, folder: string): Promise<void> {
  const [client, peer] = ["etcd.sock:0", "etcd-peer.sock:0"];
  for (const socket of [client, peer]) rmSync(path.join(folder, socket), { force: true });
  // Never dialled, there is no second member; it only must not change between runs.
  const unused = "http://127.0.0.1:2380";
  const args = splitArguments(`--name=local --data-dir=etcd --unsafe-no-fsync --log-level=warn
    --listen-client-urls=unix://${client} --advertise-client-urls=unix://${client}
    --listen-peer-urls=unix://${peer} --initial-advertise-peer-urls=${unused} --initial-cluster=local=${unused}`);
  processes.start({ name: "etcd", command, args, cwd: folder, stopSignal: "SIGTERM" });
  await processes.until("etcd", () => Promise.resolve(existsSync(path.join(folder, client))));
}

async function startApiServer(
  processes: Processes,
  command: string,
  folder: string,
  { data, port, token, kubeconfig, services }: ClusterOptions,
): Promise<void> {
  const files = apiServerCertificate(data);
  writeFileSync(path.join(folder, "tokens.csv"), `${token},${CONTEXT},${CONTEXT},system:masters\n`, { mode: 0o600 });
  if (!existsSync(path.join(folder, "accounts.key"))) writeAccountKeys(folder);
  removeOldCertificate(files);
  const args =
    splitArguments(`--bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port=${port} --cert-dir=certificates
    --etcd-servers=unix://etcd.sock:0 --endpoint-reconciler-type=none --service-cluster-ip-range=${services}
    --authorization-mode=RBAC --token-auth-file=tokens.csv --disable-admission-plugins=ServiceAccount
    --service-account-issuer=https://kubernetes.default.svc
    --service-account-key-file=accounts.pub --service-account-signing-key-file=accounts.key`);
  processes.start({ name: "kube-apiserver", command, args, cwd: folder, stopSignal: "SIGKILL", restart: true });
  await processes.until("kube-apiserver", async () => {
    writeFileSync(kubeconfig, stringify(administrator(port, token, readFileSync(files.certificate))), { mode: 0o600 });
    const api = new Api(kubeconfig);
    try {
      return await api.isReady();
    } finally {
      await api.close();
    }
  });
}

function splitArguments(text: string): string[] {
  return text.split(/\s+/);
}

/** Removes a certificate that expires within a month, or has no key: the API server creates one for a year, and uses an expired one. */
function removeOldCertificate({ certificate, key }: ReturnType<typeof apiServerCertificate>): void {
  if (!existsSync(certificate)) return;
  const monthAhead = Date.now() + 30 * 86_400_000;
  if (existsSync(key) && new X509Certificate(readFileSync(certificate)).validToDate.getTime() > monthAhead) return;
  rmSync(path.dirname(certificate), { recursive: true });
}

function writeAccountKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  replaceFile(path.join(folder, "accounts.pub"), publicKey.export({ type: "spki", format: "pem" }) as string);
  replaceFile(path.join(folder, "accounts.key"), privateKey.export({ type: "sec1", format: "pem" }) as string, 0o600);
}

function administrator(port: number, token: string, ca: Buffer): Kubeconfig {
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca.toString("base64") };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: CONTEXT, cluster }],
    users: [{ name: CONTEXT, user: { token } }],
    contexts: [{ name: CONTEXT, context: { cluster: CONTEXT, user: CONTEXT } }],
    "current-context": CONTEXT,
  };
}
