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
  const { config } = stack({ protected_services: [] });
  const values = Object.entries(config).map(([key, entry]) => [key, "value" in entry ? entry.value : undefined]);
  const file = { config: { "kubernetes:context": "here", ...Object.fromEntries(values) } as object };
  writeFileSync(join(folder, "Pulumi.dev.yaml"), stringify(file));
  const place = { project: folder, data: folder, environment: { ...shell, KUBECONFIG: join(folder, "none") } };

  const { evidence } = await collect(openContext("here", place), place, "unplanned.invalid");
  const missing = `pulumi ${pinned("pulumi").version} is neither on PATH nor in the cache`;
  expect(evidence.engine).toEqual({ unavailable: `the engine's state: the Pulumi CLI: ${missing}` });
  expect(requested).toEqual([]);
});
