import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomObjectsApi } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proxyServices } from "../../bench/services.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { deploy, type LocalStack, openLocal } from "../../local/deploy.ts";
import { startPlatform, type StartedPlatform } from "../../local/platform/platform.ts";
import { isForwarded } from "../../infra/plan/exposure.ts";
import { providerOf } from "../../infra/plan/outposts.ts";
import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { recordFile } from "../../ops/engine/recovery/stepRecord.ts";
import { exportState } from "../../ops/engine/state/state.ts";
import { FULL } from "../helpers/full.ts";
import { killedDeployment } from "../helpers/killed.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

/** 150 providers with the test environments; a deployment of this size has no checkpoints. */
const changes = { "gatehouse:protected_services": proxyServices(75) };
/** Providers at which the deployment is killed: the API returns at most 100 in one page (measured). */
const KILLED_ABOVE = 110;
const PROVIDER = "authentik:index/providerProxy:ProviderProxy";

let data: string;
let record: string;
let platform: StartedPlatform;
let local: LocalStack;

// Deployments without checkpoints and pages of the API are also in test/stack/interrupted.test.ts and test/ops/engine/recovery.
describe.runIf(FULL)("a deployment of more than 100 providers", () => {
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "gatehouse-checkpoints-"));
    record = recordFile(join(data, "workspace"), "local");
    platform = await startPlatform({ data, progress: SILENT });
    local = await openLocal(platform, changes);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test("resumes an interrupted deployment of more than 100 providers without duplicates or leftovers", async () => {
    const { AUTHENTIK_TOKEN: token = "" } = local.variables;
    expect(await killedDeployment(platform, { changes }, () => recorded(PROVIDER) > KILLED_ABOVE)).toBe("SIGKILL");
    expect((await exportState(local.stack)).deployment.resources ?? []).toEqual([]);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(secretsIn(readFileSync(record, "utf8"))).toEqual([]);
    const before = await providers(token);
    expect(before.length).toBeGreaterThan(100);
    // Without the hook that waits for the record, it lacked 2 of 120 (measured twice).
    const text = readFileSync(record, "utf8");
    expect(before.filter(({ name }) => !text.includes(`"name":"${name}"`))).toEqual([]);

    await deploy(local, SILENT);
    expect(existsSync(record)).toBe(false);
    expect(secretsIn(JSON.stringify(await exportState(local.stack)))).toEqual([]);
    const wanted = local.plan.exposures.filter(isForwarded);
    const after = await providers(token);
    expect(after.map(({ name }) => name).sort()).toEqual(wanted.map(providerOf).sort());
    expect(after.filter(({ pk }) => before.some((old) => old.pk === pk))).toHaveLength(before.length);
    expect(await ingressRoutes()).toEqual(await deployed("kubernetes:traefik.io/v1alpha1:IngressRoute"));

    // Groups are read, since they are not resources of the stack.
    expect(Object.keys(await deploy(local, SILENT)).sort()).toEqual(["read", "same"]);
  }, 1_800_000);
});

/** Returns the number of creations of a type in the record. */
function recorded(type: string): number {
  const lines = existsSync(record) ? readFileSync(record, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes(`"type":"${type}"`)).length;
}

/** Returns the names of the secret variables whose value is in a text. */
function secretsIn(text: string): string[] {
  return Object.entries(local.variables).flatMap(([name, value]) => (text.includes(value) ? [name] : []));
}

interface Provider {
  readonly pk: number;
  readonly name: string;
}

async function providers(token: string): Promise<Provider[]> {
  const url = `http://authentik.localhost:${platform.httpPort}`;
  return withAuthentik(url, token, (api) => api.all<Provider>("/providers/proxy/"));
}

async function ingressRoutes(): Promise<string[]> {
  const config = RetryingKubeConfig.fromFile(platform.kubeconfig);
  const list = { group: "traefik.io", version: "v1alpha1", plural: "ingressroutes" };
  const { items } = (await config.makeApiClient(CustomObjectsApi).listClusterCustomObject(list)) as {
    items: { metadata: { name: string; namespace: string } }[];
  };
  return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

async function deployed(type: string): Promise<string[]> {
  const { resources = [] } = (await exportState(local.stack)).deployment;
  return resources.flatMap((resource) => (resource.type === type ? [resource.id ?? ""] : [])).sort();
}
