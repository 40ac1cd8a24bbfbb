/** The Cluster of CloudNativePG, validated by a real API server with the operator's definition. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { startCluster, type TestCluster } from "../../emulators/test/plugins/cluster.ts";
import { clusterSpec } from "../../infra/postgres/cloudNativePg.ts";
import { createProgress } from "../../ops/terminal/progress.ts";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";

const CLUSTERS = "/apis/postgresql.cnpg.io/v1/namespaces/default/clusters?dryRun=All&fieldValidation=Strict";
const SPEC = clusterSpec({ instances: 3, version: "18", size: "10Gi", storageClass: "fast" });
const folder = mkdtempSync(join(tmpdir(), "gatehouse-cnpg-"));
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startCluster(folder);
  const files = await ensureTools(["cloudnativepg-crds"], createProgress(), { local: true });
  const definition = parse(readFileSync(files["cloudnativepg-crds"], "utf8")) as object;
  const created = await cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  expect(created.status).toBe(201);
  await vi.waitFor(async () => expect((await cluster.call("GET", CLUSTERS)).status).toBe(200), {
    timeout: 240_000,
    interval: 200,
  });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

const create = (spec: object) =>
  cluster.call("POST", CLUSTERS, {
    apiVersion: "postgresql.cnpg.io/v1",
    kind: "Cluster",
    metadata: { name: "postgres" },
    spec: { ...spec, superuserSecret: { name: "postgres-superuser" } },
  });

test("accepts the Cluster of three instances", async () => {
  const { status, body } = await create(SPEC);
  expect([status, body]).toEqual([201, expect.objectContaining({ kind: "Cluster" })]);
});

test("rejects a Cluster with an unknown field, so that the definition is enforced", async () => {
  const { status, body } = await create({ ...SPEC, enablePDBs: true });
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringContaining('unknown field "spec.enablePDBs"') as string }),
  ]);
});
