/** Real systems that the doctor reads: an API server, a Postgres server, and the API of the authentik emulator. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Client } from "pg";
import { expect, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { createDefaults } from "../../../../emulators/test/authentik/defaults.ts";
import { testRuntime } from "../../../../emulators/test/authentik/runtime.ts";
import type { Outpost, User } from "../../../../emulators/authentik/objects.ts";
import { create, resources } from "../../../../emulators/authentik/resources.ts";
import { restApi } from "../../../../emulators/authentik/rest.ts";
import { startCluster, type TestCluster } from "../../../../emulators/test/plugins/cluster.ts";
import { choosePorts } from "../../../../local/platform/ports.ts";
import { type PostgresAddress, startPostgres } from "../../../../local/platform/postgres.ts";
import { Processes } from "../../../../local/platform/processes.ts";
import { SUBJECTS } from "../../../../ops/checks/doctor/doctor.ts";
import { main } from "../../../../ops/commands/doctor.ts";
import type { Shell } from "../../../../ops/commands/shell.ts";
import { ensureTools } from "../../../../ops/toolchain/toolchain.ts";
import { SILENT } from "../../../../ops/terminal/progress.ts";
import { putPulumiOnPath } from "../../../helpers/clusterPulumi.ts";
import { SHELL } from "../../../helpers/shell.ts";

export const CANARIES = {
  TOKEN: "canary-token-5d1c",
  RESTRICTED: "canary-restricted-77f0",
  POSTGRES: "canary-postgres-9b2e",
  AUTHENTICATOR: "canary-authenticator-1a",
  OWNER: "canary-owner-2b",
};

export interface Check {
  readonly state: string;
  readonly detail: string;
  readonly hint?: string;
}

export interface Examination {
  readonly code: number;
  /** Everything that the command printed. */
  readonly output: string;
  /** By `<subject>: <name>`. */
  readonly checks: Readonly<Record<string, Check>>;
}

export interface Systems {
  readonly cluster: TestCluster & { readonly server: string };
  readonly uid: string;
  readonly postgres: PostgresAddress;
  readonly authentikUrl: string;
  readonly embedded: Outpost;
  createGroup(name: string): Promise<void>;
  /** Returns the revision of all objects in the cluster. */
  version(): Promise<string>;
  /** Sends SQL as the superuser, to the database `postgres`. */
  sql(...statements: string[]): Promise<void>;
  /** The same to another database. */
  sqlIn(database: string, ...statements: string[]): Promise<void>;
  /** Applies the definitions of Traefik and ExternalDNS. */
  define(): Promise<void>;
  /** Runs the command. @param config replaces sections of the stack file */
  examine(config: Readonly<Record<string, unknown>>, options?: Options): Promise<Examination>;
  stop(): Promise<void>;
}

interface Options {
  readonly args?: readonly string[];
  /** User of the requests, as the API server sees it. */
  readonly as?: string;
  /** Address of the API server in the kubeconfig. */
  readonly server?: string;
  /** PATH of the shell. */
  readonly path?: string;
}

export async function startSystems(): Promise<Systems> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-doctor-"));
  chmodSync(folder, 0o711); // Postgres runs as another user when this is root
  const processes = new Processes(join(folder, "logs"), randomUUID());
  const { postgres: port } = await choosePorts(folder, { postgres: [] });
  const [cluster, postgres, authentik] = await Promise.all([
    startCluster(folder),
    startPostgres(processes, folder, port, CANARIES.POSTGRES),
    startAuthentik(),
  ]);
  const namespace = (await cluster.call("GET", "/api/v1/namespaces/kube-system")).body;
  const uid = (namespace as { metadata: { uid: string } }).metadata.uid;
  prepareProject(folder);
  await putPulumiOnPath(folder);
  return {
    cluster: {
      ...cluster,
      server: serverOf(folder),
    },
    uid,
    postgres,
    authentikUrl: authentik.url,
    embedded: authentik.embedded,
    createGroup: authentik.createGroup,
    version: () => versionOf(cluster),
    sql: (...statements) => sql(postgres, "postgres", statements),
    sqlIn: (database, ...statements) => sql(postgres, database, statements),
    define: () => define(cluster),
    examine: (config, options = {}) => examine(folder, config, options),
    stop: async () => {
      authentik.close();
      await cluster.stop();
      await processes.stop([]);
      rmSync(folder, {
        recursive: true,
        force: true,
      });
    },
  };
}

/** Returns the resource version of the newest change of these kinds. */
async function versionOf(cluster: TestCluster): Promise<string> {
  const paths = ["pods", "services", "configmaps", "secrets", "namespaces", "events"].map((kind) => `/api/v1/${kind}`);
  const lists = await Promise.all(paths.map(async (path) => (await cluster.call("GET", path)).body));
  const items = (lists as { items: { metadata: { uid: string; resourceVersion: string } }[] }[]).flatMap(
    (one) => one.items,
  );
  return JSON.stringify(items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
}

function serverOf(folder: string): string {
  const { clusters } = JSON.parse(readFileSync(join(folder, "kubeconfig"), "utf8")) as {
    clusters: [{ cluster: { server: string } }];
  };
  return clusters[0].cluster.server;
}

/** The folder of the stack file is a git repository with a Pulumi project. */
function prepareProject(folder: string): void {
  writeFileSync(join(folder, "Pulumi.yaml"), "name: gatehouse\nruntime: nodejs\n");
  execFileSync("git", ["init", "--quiet", folder]);
}

async function sql(address: PostgresAddress, database: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ ...address, database });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startAuthentik() {
  const runtime = testRuntime();
  createDefaults(runtime, { token: CANARIES.TOKEN });
  const kindOf = (kind: string) => resources.find((one) => one.kind === kind) ?? resources[0];
  const [users, tokens] = [kindOf("user"), kindOf("token")];
  if (!users || !tokens) throw new Error("the emulator has no users");
  const user = { ...create(runtime, users), pk: 4711, username: "restricted" } as unknown as User;
  runtime.store.put("user", user);
  const token = { identifier: "restricted", user: 4711, expiring: false, expires: null, intent: "api" };
  runtime.store.put("token", { ...create(runtime, tokens), ...token, key: CANARIES.RESTRICTED } as never);
  const embedded = runtime.store.list("outpost").find(({ managed }) => managed !== null && managed !== undefined);
  if (!embedded) throw new Error("the emulator has no embedded outpost");
  const server = serve({ fetch: new Hono().route("/api/v3", restApi(runtime)).fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    (server as Server).closeAllConnections();
  };
  const createGroup = async (name: string): Promise<void> => {
    const headers = { authorization: `Bearer ${CANARIES.TOKEN}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v3/core/groups/`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name }),
    });
    expect(response.status).toBe(201);
  };
  return { url, embedded, createGroup, close };
}

async function define(cluster: TestCluster): Promise<void> {
  const tools = await ensureTools(["traefik-crds", "externaldns-crds"], SILENT, { local: true });
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const file of Object.values(tools)) {
    for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
      const definition = document.toJS() as { metadata: { name: string } } | null;
      if (definition !== null) await cluster.call("POST", path, definition);
    }
  }
  for (const group of ["traefik.io", "externaldns.k8s.io"]) {
    const served = async () => expect((await cluster.call("GET", `/apis/${group}/v1alpha1`)).status).toBe(200);
    await vi.waitFor(served, { timeout: 240_000, interval: 100 });
  }
}

const SECTIONS = {
  "kubernetes:context": "live",
  "gatehouse:gateway": { version: "3.7.13" },
  "gatehouse:test_environments": { enabled: false },
};

async function examine(
  folder: string,
  config: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<Examination> {
  writeFileSync(join(folder, "Pulumi.first.yaml"), JSON.stringify({ config: { ...SECTIONS, ...config } }));
  const kubeconfig = JSON.parse(readFileSync(join(folder, "kubeconfig"), "utf8")) as {
    users: [{ user: object }];
    clusters: [{ cluster: object }];
  };
  if (options.as !== undefined) Object.assign(kubeconfig.users[0].user, { as: options.as });
  if (options.server !== undefined) Object.assign(kubeconfig.clusters[0].cluster, { server: options.server });
  const file = join(folder, "kubeconfig-used");
  writeFileSync(file, JSON.stringify(kubeconfig));
  let output = "";
  const write = (text: string) => void (output += text);
  const environment = {
    ...process.env,
    ...CANARIES,
    KUBECONFIG: file,
    PULUMI_BACKEND_URL: `file://${folder}`,
    ...(options.path !== undefined && { PATH: options.path }),
  };
  const shell: Shell = { ...SHELL, project: folder, data: folder, environment, out: write, error: write };
  // Tools take time to start that a busy machine may not have, and are the same for every stack.
  const subjects = options.path === undefined ? SUBJECTS.filter((one) => one !== "Local tools") : SUBJECTS;
  const code = await main(["live", ...(options.args ?? ["--json"])], shell, subjects);
  return { code, output, checks: output.startsWith("{") ? byName(output) : {} };
}

function byName(output: string): Record<string, Check> {
  const { checks } = JSON.parse(output) as { checks: (Check & { subject: string; name: string })[] };
  const entries = checks.map(({ subject, name, state, detail, hint }) => {
    return [`${subject}: ${name}`, { state, detail, ...(hint !== undefined && { hint }) }] as const;
  });
  return Object.fromEntries(entries);
}
