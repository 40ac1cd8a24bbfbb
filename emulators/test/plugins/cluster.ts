import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Agent, request } from "undici";
import { vi } from "vitest";

import { freePort } from "../../../local/platform/ports.ts";
import { createProgress } from "../../../ops/terminal/progress.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";

const TOKEN = "live-test";
const CONTROLLERS = ["namespace", "garbage-collector", "deployment", "replicaset", "job"];

export interface TestCluster {
  readonly kubeconfig: string;
  /** Sends a request without the plugin, as another user; returns status and body. */
  call(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }>;
  stop(): Promise<void>;
}

/** Starts etcd, the API server and the controllers on free ports, with their data in the folder. */
export async function startCluster(folder: string): Promise<TestCluster> {
  const tools = await ensureTools(["etcd", "kube-apiserver", "kube-controller-manager"], createProgress(), {
    local: true,
  });
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
  const server = `https://127.0.0.1:${secure}`;
  const kubeconfig = join(folder, "kubeconfig");
  const key = join(folder, "sa.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(folder, "tokens.csv"), `${TOKEN},admin,admin,"system:masters"\n`);
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(server)));

  const running: ChildProcess[] = [];
  const start = (program: string, flags: Record<string, string>): void => {
    const log = openSync(join(folder, "cluster.log"), "a");
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    running.push(spawn(program, args, { stdio: ["ignore", log, log] }));
  };
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const call: TestCluster["call"] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": contentType(method) };
    const answer = await request(`${server}${path}`, {
      method,
      dispatcher: agent,
      headers,
      body: body && JSON.stringify(body),
    });
    return { status: answer.statusCode, body: await answer.body.json().catch(() => undefined) };
  };

  start(tools.etcd, {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": `http://127.0.0.1:${client}`,
    "advertise-client-urls": `http://127.0.0.1:${client}`,
    "listen-peer-urls": `http://127.0.0.1:${peer}`,
    "unsafe-no-fsync": "true",
  });
  start(tools["kube-apiserver"], {
    "etcd-servers": `http://127.0.0.1:${client}`,
    "bind-address": "127.0.0.1",
    "secure-port": String(secure),
    "cert-dir": join(folder, "certificates"),
    "service-cluster-ip-range": "127.96.0.0/16",
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": key,
    "service-account-signing-key-file": key,
    "token-auth-file": join(folder, "tokens.csv"),
    "authorization-mode": "RBAC",
    "endpoint-reconciler-type": "none",
    "disable-admission-plugins": "ServiceAccount",
  });
  const stop = async (): Promise<void> => {
    for (const program of running.reverse()) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      program.kill("SIGKILL");
      await once(program, "exit");
    }
    await agent.close();
  };
  const isReady = async (): Promise<void> => {
    if ((await call("GET", "/readyz")).status !== 200) throw new Error("the API server is not ready");
  };
  await vi.waitFor(isReady, { timeout: 240_000, interval: 200 }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  start(tools["kube-controller-manager"], {
    kubeconfig,
    controllers: CONTROLLERS.map((name) => `${name}-controller`).join(),
    "leader-elect": "false",
    "secure-port": "0",
  });

  return { kubeconfig, call, stop };
}

function contentType(method: string): string {
  return method === "PATCH" ? "application/merge-patch+json" : "application/json";
}

function kubeconfigOf(server: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "live", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user: { token: TOKEN } }],
    contexts: [{ name: "live", context: { cluster: "live", user: "admin" } }],
    "current-context": "live",
  };
}
