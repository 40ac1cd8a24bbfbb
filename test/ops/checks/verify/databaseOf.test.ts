/** Where verify looks for the database of a server that the stack installs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { RetryingKubeConfig } from "../../../../infra/kubeConfig.ts";
import { openContext, type ShellEnvironment } from "../../../../ops/context/context.ts";
import { checkDatabase, type DatabaseTarget } from "../../../../ops/checks/verify/database.ts";
import { databaseOf, type Unreachable } from "../../../../ops/checks/verify/databaseOf.ts";
import { parseStack } from "../../../../config/load.ts";
import { shell, stack } from "../../../config/stacks.ts";

const HINT = "set postgres.install.host to an address that this machine reaches, e.g. through kubectl port-forward";
const SECRETS = { reveal: () => undefined, known: { POSTGRES: "p" }, values: [], problem: undefined };

/** The address of the API server, which has one Service. */
async function apiServer(clusterIP: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    const found = url === "/api/v1/namespaces/db/services/postgres";
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(found ? { metadata: { name: "postgres" }, spec: { clusterIP } } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function cluster(server: string): RetryingKubeConfig {
  const config = new RetryingKubeConfig();
  config.loadFromClusterAndUser({ name: "here", server, skipTLSVerify: true }, { name: "admin", token: "t" });
  return config;
}

async function find(
  install: Record<string, unknown>,
  config: RetryingKubeConfig | Unreachable,
): Promise<DatabaseTarget | Unreachable> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-database-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { config: entries } = stack({
    protected_services: [],
    postgres: { password: "${POSTGRES}", install: { kind: "statefulset", namespace: "db", ...install } },
  });
  const values = Object.entries(entries).map(([key, entry]) => [key, "value" in entry ? entry.value : undefined]);
  const file = { config: { "kubernetes:context": "here", ...Object.fromEntries(values) } as object };
  writeFileSync(join(folder, "Pulumi.dev.yaml"), stringify(file));
  const place: ShellEnvironment = { project: folder, data: folder, environment: shell };
  return databaseOf(openContext("here", place), place, SECRETS, config);
}

test("returns the address of the Service of an installed server", async () => {
  const found = await find({ service: "ClusterIP" }, cluster(await apiServer("203.0.113.9")));
  expect(found).toMatchObject({ hint: HINT, connection: { host: "203.0.113.9", port: 5432, user: "postgres" } });
});

test("prefers a stated address", async () => {
  const found = await find({ service: "ClusterIP", host: "127.0.0.7" }, cluster(await apiServer("203.0.113.9")));
  expect(found).toMatchObject({ connection: { host: "127.0.0.7" } });
  expect(found).not.toHaveProperty("hint");
});

test("names a Service that does not exist", async () => {
  expect(await find({ service: "ClusterIP", namespace: "other" }, cluster(await apiServer("203.0.113.9")))).toEqual({
    reason: "the address of Service other/postgres is not known: HTTP 404",
    hint: HINT,
  });
});

test("names a cluster that cannot be read", async () => {
  const problem = { reason: "the kubeconfig has no context here", hint: "set KUBECONFIG" };
  expect(await find({ service: "ClusterIP" }, problem)).toEqual({
    reason: "the address of Service db/postgres is not known: the kubeconfig has no context here",
    hint: HINT,
  });
});

test("skips an unreachable address of a Service, and fails for a stated one", async () => {
  const { data } = computePlan(parseStack(stack({ protected_services: [] }), shell));
  if (!data) throw new Error("the stack has no data API");
  const found = await find({ service: "ClusterIP" }, cluster(await apiServer("127.0.0.1")));
  if ("reason" in found) throw new Error(found.reason);
  const closed = { ...found, connection: { ...found.connection, port: 1 } };
  const detail = "cannot reach database gatehouse on 127.0.0.1:1 as postgres: connect ECONNREFUSED 127.0.0.1:1";
  expect(await checkDatabase(closed, data)).toEqual([
    { name: "grants and contracts", ok: true, skipped: true, detail, hint: HINT },
  ]);
  const { connection, contracts } = closed;
  expect(await checkDatabase({ connection, contracts }, data)).toEqual([
    { name: "grants of database gatehouse", ok: false, detail },
  ]);
});
