import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { collect } from "../../../../ops/checks/diagnose/collect.ts";
import { openContext } from "../../../../ops/context/context.ts";
import { pinned } from "../../../../ops/toolchain/tools.ts";
import { shell, stack } from "../../../config/stacks.ts";

/** Collects the evidence of one host from a stack in a folder. */
function collected(folder: string, host: string, sections: Record<string, unknown> = {}) {
  const { config } = stack({ protected_services: [], ...sections });
  const values = Object.entries(config).map(([key, entry]) => [key, "value" in entry ? entry.value : undefined]);
  const file = { config: { "kubernetes:context": "here", ...Object.fromEntries(values) } as object };
  writeFileSync(join(folder, "Pulumi.dev.yaml"), stringify(file));
  const place = { project: folder, data: folder, environment: { ...shell, KUBECONFIG: join(folder, "none") } };
  return collect(openContext("here", place), place, host);
}

test("reports a missing Pulumi CLI, and does not download it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-collect-"));
  const requested: string[] = [];
  const mirror = createServer(({ url = "" }, response) => {
    requested.push(url);
    response.writeHead(404).end();
  });
  await once(mirror.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    mirror.close();
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv("PATH", folder);
  vi.stubEnv("GATEHOUSE_CACHE", folder);
  vi.stubEnv("GATEHOUSE_TOOLS_MIRROR", `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`);
  const { evidence } = await collected(folder, "unplanned.invalid");
  const missing = `pulumi ${pinned("pulumi").version} is neither on PATH nor in the cache`;
  expect(evidence.engine).toEqual({ unavailable: `the engine's state: the Pulumi CLI: ${missing}` });
  expect(requested).toEqual([]);
});

test("requests the host of identity_provider.url at that address, not on the port of a domain", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-collect-"));
  const login = createServer((_, response) => response.end());
  await once(login.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    login.close();
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv("PATH", folder);
  vi.stubEnv("GATEHOUSE_CACHE", folder);
  const url = `http://login.localhost:${(login.address() as AddressInfo).port}`;
  const existing = { install: false, url, token: "${TOKEN}" };
  const found = await collected(folder, "login.localhost", { identity_provider: existing });
  expect([found.url, found.evidence.answers.get(url)?.withoutSession.hops]).toEqual([
    url,
    [{ url: `${url}/`, status: 200 }],
  ]);
});
