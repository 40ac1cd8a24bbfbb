import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomObjectsApi, KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { proxyServices } from "../../bench/services.ts";
import { deploy, type LocalStack, openLocal } from "../../local/deploy.ts";
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { createClient } from "../../ops/http.ts";
import type { Progress } from "../../ops/progress.ts";
import { exportState } from "../../ops/state.ts";

const quiet: Progress = { step: (_title, work) => work(() => undefined), note: () => undefined };
/** With their test environments just above the size from which deployments are journaled. */
const changes = { "gatehouse:protected_services": proxyServices(50) };
const data = mkdtempSync(join(tmpdir(), "gatehouse-journal-"));
const journal = join(data, "workspace", "journal-local.jsonl");
const PROVIDER = "authentik:index/providerProxy:ProviderProxy";

let platform: Platform;
let local: LocalStack;

beforeAll(async () => {
  platform = await startPlatform({ data, progress: quiet });
  local = await openLocal(platform, changes);
});
afterAll(async () => {
  await platform.stop();
  rmSync(data, { recursive: true, force: true });
});

test("a large deployment that was killed is finished by the next one, with nothing made twice and nothing left over", async () => {
  expect(await killWhen(() => noted(PROVIDER) > 30)).toBe("SIGKILL");
  expect((await exportState(local.stack)).deployment.resources ?? []).toEqual([]);
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  const { AUTHENTIK_TOKEN: token = "" } = local.variables;
  expect(readFileSync(journal, "utf8").includes(token)).toBe(false);
  const before = await providers(token);
  expect(before.length).toBeGreaterThan(30);

  await deploy(local, quiet);
  expect(existsSync(journal)).toBe(false);
  const wanted = local.plan.exposures.filter(({ authentication }) => authentication === "forward-auth");
  const after = await providers(token);
  expect(after.map(({ name }) => name).sort()).toEqual(wanted.map(({ id }) => id).sort());
  expect(after.filter(({ pk }) => before.some((old) => old.pk === pk))).toHaveLength(before.length);
  expect(await ingressRoutes()).toEqual(await deployed("kubernetes:traefik.io/v1alpha1:IngressRoute"));

  expect(Object.keys(await deploy(local, quiet))).toEqual(["same"]);
}, 240_000);

/** How many resources of a type the journal knows the end of. */
function noted(type: string): number {
  const lines = existsSync(journal) ? readFileSync(journal, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes('"kind":1') && line.includes(`"type":"${type}"`)).length;
}

/** Deploys in a process that leads a group of its own, which its engine and plugins belong to, and kills that group. */
async function killWhen(isTime: () => boolean): Promise<NodeJS.Signals | null> {
  const args = [platform, changes].map((value) => JSON.stringify(value));
  const runner = spawn(process.execPath, [join(import.meta.dirname, "deployServices.ts"), ...args], {
    detached: true,
    stdio: "inherit",
  });
  const exit = once(runner, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const ready = (): void => expect(runner.exitCode !== null || isTime()).toBe(true);
  await vi
    .waitFor(ready, { timeout: 180_000, interval: 50 })
    .finally(() => process.kill(-(runner.pid ?? 0), "SIGKILL"));
  return (await exit)[1];
}

interface Provider {
  readonly pk: number;
  readonly name: string;
}

async function providers(token: string): Promise<Provider[]> {
  const client = createClient();
  try {
    const url = `http://authentik.localhost:${platform.httpPort}/api/v3/providers/proxy/?page_size=1000`;
    const answer = await client.send(url, { headers: { authorization: `Bearer ${token}` } });
    return (JSON.parse(answer.body) as { results: Provider[] }).results;
  } finally {
    await client.close();
  }
}

async function ingressRoutes(): Promise<string[]> {
  const config = new KubeConfig();
  config.loadFromFile(platform.kubeconfig);
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
