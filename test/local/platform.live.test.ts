import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:tls";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import {
  AppsV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type V1Container,
  type V1Job,
  type V1Pod,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { containerDefaults } from "../../infra/pods.ts";
import { apiServerCertificate } from "../../local/platform/cluster.ts";
import { processesOf } from "./processes.ts";
import type { Started } from "./starter.ts";

const namespace = "default";
const data = realpathSync(mkdtempSync(path.join(tmpdir(), "gatehouse-platform-")));
let starter: ChildProcess;
let started: Started;

interface Run {
  readonly child: ChildProcess;
  readonly errors: () => string;
}

function run(): Run {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "starter.ts"), data], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { child, errors: () => text };
}

async function start(): Promise<void> {
  const { child, errors } = run();
  starter = child;
  const line = child.stdout
    ? ((await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as unknown[])[0]
    : "";
  if (!Buffer.isBuffer(line)) throw new Error(`the platform did not start:\n${errors()}`);
  started = JSON.parse(line.toString()) as Started;
}

function api<T extends Parameters<KubeConfig["makeApiClient"]>[0]>(type: T): InstanceType<T> {
  return RetryingKubeConfig.fromFile(started.kubeconfig).makeApiClient(type) as InstanceType<T>;
}

function ask(host: string): Promise<{ status: number; body: string }> {
  const headers = [
    ["Host", host],
    ["X-idp-username", "a"],
    ["x-IDP-username", "b"],
    ["X_y.z", "c"],
  ].flat();
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port: started.httpPort, path: "/x?y=1", headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .once("error", reject)
      .end();
  });
}

function until(assertion: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assertion, { timeout: 240_000, interval: 100 });
}

async function createJob(name: string, sql: string, defaults: Partial<V1Container> = {}): Promise<V1Job["status"]> {
  const { host, port, user, password } = started.postgres;
  const settings = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: "postgres" };
  await api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { "1.sql": sql } } });
  const container: V1Container = {
    ...defaults,
    name: "psql",
    image: "postgres:18-alpine",
    command: ["psql"],
    args: [
      "--no-psqlrc",
      "--quiet",
      "-v",
      "ON_ERROR_STOP=1",
      "-v",
      "word=it's",
      "--single-transaction",
      "-f",
      "/sql/1.sql",
    ],
    env: Object.entries(settings).map(([key, value]) => ({ name: key, value })),
    volumeMounts: [{ name: "sql", mountPath: "/sql" }],
  };
  const pod = { restartPolicy: "Never", containers: [container], volumes: [{ name: "sql", configMap: { name } }] };
  const batch = api(BatchV1Api);
  await batch.createNamespacedJob({
    namespace,
    body: { metadata: { name }, spec: { backoffLimit: 0, template: { spec: pod } } },
  });
  let status: V1Job["status"];
  await until(async () => {
    status = (await batch.readNamespacedJob({ name, namespace })).status;
    expect(
      status?.conditions?.map(({ type }) => type).filter((type) => ["Complete", "Failed"].includes(type)),
    ).toHaveLength(1);
  });
  return status;
}

async function onlyPod(labelSelector: string): Promise<V1Pod | undefined> {
  const { items } = await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector });
  expect(items).toHaveLength(1);
  return items[0];
}

beforeAll(start);
afterAll(async () => {
  if (starter.exitCode === null && starter.signalCode === null) {
    starter.kill("SIGTERM");
    await once(starter, "exit");
  }
  rmSync(data, { recursive: true, force: true });
});

test("serves a Deployment through Service, IngressRoute and Traefik, with every header line as it was sent", async () => {
  const labels = { app: "echo" };
  const container: V1Container = {
    name: "whoami",
    image: "traefik/whoami:v1.11.0",
    args: ["--port", "8080"],
    ports: [{ name: "http", containerPort: 8080 }],
    readinessProbe: { httpGet: { path: "/health", port: "http" } },
  };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  await api(AppsV1Api).createNamespacedDeployment({ namespace, body: { metadata: { name: "echo" }, spec } });
  const service = {
    metadata: { name: "echo" },
    spec: { selector: labels, ports: [{ port: 8080, targetPort: "http" }] },
  };
  await api(CoreV1Api).createNamespacedService({ namespace, body: service });
  const rule = {
    kind: "Rule",
    match: "Host(`echo.localhost`)",
    services: [{ name: "echo", port: 8080, nativeLB: true }],
  };
  await api(CustomObjectsApi).createNamespacedCustomObject({
    group: "traefik.io",
    version: "v1alpha1",
    namespace,
    plural: "ingressroutes",
    body: {
      apiVersion: "traefik.io/v1alpha1",
      kind: "IngressRoute",
      metadata: { name: "echo" },
      spec: { entryPoints: ["web"], routes: [rule] },
    },
  });

  await until(async () => expect((await ask("echo.localhost")).status).toBe(200));
  const lines = (await ask("echo.localhost")).body.split("\n");
  expect(lines).toContain("GET /x?y=1 HTTP/1.1");
  expect(lines).toContain("Host: echo.localhost");
  expect(lines.filter((line) => /^x.idp.username/i.test(line))).toEqual(["X-Idp-Username: a", "X-Idp-Username: b"]);
  expect(lines.filter((line) => /^x.y.z/i.test(line))).toEqual(["X_y.z: c"]);
  expect((await ask("other.localhost")).status).toBe(404);
  await until(async () => {
    const { status } = await api(AppsV1Api).readNamespacedDeployment({ name: "echo", namespace });
    expect(status?.availableReplicas).toBe(1);
  });
});

test("has the certificate of the API server as the default one, which Traefik would else generate again at every change", async () => {
  const socket = connect({ port: started.httpsPort, servername: "echo.localhost", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  const own = new X509Certificate(readFileSync(apiServerCertificate(data).certificate));
  expect(fingerprint256).toBe(own.fingerprint256);
});

test("runs SQL files in a Job, and reports why one fails, which changes nothing", async () => {
  expect((await createJob("good", "create table words as select :'word'::text as word"))?.succeeded).toBe(1);
  const bad = "insert into words values ('x'); select 1 / 0";
  expect((await createJob("bad", bad, containerDefaults))?.failed).toBe(1);
  const pod = await onlyPod("job-name=bad");
  expect(pod?.status?.phase).toBe("Failed");
  expect(pod?.status?.containerStatuses?.[0]?.state?.terminated?.message).toMatch(
    /1\.sql: ERROR: {2}division by zero$/,
  );
  await createJob("silent", bad);
  const silent = (await onlyPod("job-name=silent"))?.status?.containerStatuses?.[0]?.state?.terminated;
  expect([silent?.exitCode, silent?.message]).toEqual([3, undefined]);
  const check = "do $$ begin assert (select array_agg(word) from words) = array[$t$it's$t$]; end $$";
  expect((await createJob("check", check))?.succeeded).toBe(1);
});

test("keeps a Pod of an unknown image pending, with the list of supported ones", async () => {
  const core = api(CoreV1Api);
  const spec = { containers: [{ name: "web", image: "nginx:1" }] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: "odd" }, spec } });
  await until(async () => {
    const { status } = await core.readNamespacedPod({ name: "odd", namespace });
    expect(status?.phase).toBe("Pending");
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'image "nginx:1" is not supported by the local platform. Supported: ' +
        "ghcr.io/goauthentik/server, ghcr.io/goauthentik/proxy, gatehouse.localhost/oidc-app, postgrest/postgrest, " +
        "node, traefik/whoami, postgres",
    );
  });
});

test("refuses a second start on the same data folder, and names the first", async () => {
  const { child, errors } = run();
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(1);
  expect(errors()).toContain(`a platform already runs on ${data} (process ${starter.pid}); npm run stop ends it`);
  expect((await ask("echo.localhost")).status).toBe(200);
});

test("leaves no process when it is killed, and serves the deployed objects after the next start", async () => {
  expect(processesOf(data).some((command) => command.includes("whoami.ts"))).toBe(true);
  starter.kill("SIGKILL");
  await once(starter, "exit");
  await until(() => expect(processesOf(data)).toEqual([]));

  await start();
  await until(async () => expect((await ask("echo.localhost")).status).toBe(200));
  expect((await createJob("again", "select word from words"))?.succeeded).toBe(1);
});

test("ends process and Pod of a deleted Deployment", async () => {
  await api(AppsV1Api).deleteNamespacedDeployment({ name: "echo", namespace, propagationPolicy: "Foreground" });
  await until(async () => {
    expect((await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector: "app=echo" })).items).toEqual([]);
    expect(processesOf(data).filter((command) => command.includes("whoami.ts"))).toEqual([]);
  });
});

test("is stopped in order, and removed, by npm run stop -- --purge", async () => {
  const script = path.join(import.meta.dirname, "../../local/stop.ts");
  const stop = (...args: string[]) =>
    promisify(execFile)(process.execPath, [script, ...args], { env: { ...process.env, GATEHOUSE_DATA: data } });
  const exit = once(starter, "exit");
  expect((await stop("--purge")).stderr).toBe(`Stopped the platform on ${data}.\nRemoved ${data}.\n`);
  expect((await exit)[0]).toBe(0);
  await until(() => expect(processesOf(data)).toEqual([]));
  expect(existsSync(data)).toBe(false);
  expect((await stop("--purge")).stderr).toBe(`No platform runs on ${data}.\n${data} does not exist.\n`);
});
