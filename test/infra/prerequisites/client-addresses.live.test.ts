/** Why `tls: upstream` needs trusted addresses: the limit per client of the real Traefik behind a proxy, which the test plays. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { perClient } from "../../../infra/gateway/dataSpecs.ts";
import { createProgress } from "../../../ops/progress.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** @returns statuses of three requests of one client and of one request of another; each client has two requests */
async function statusesWith(forwardedHeaders: object): Promise<number[]> {
  const { traefik } = await ensureTools(["traefik"], createProgress());
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-clients-"));
  const rateLimit = { average: 1, period: "1h", burst: 2, ...perClient({ upstream: true }) };
  const http = {
    routers: { all: { rule: "PathPrefix(`/`)", service: "ping@internal", middlewares: ["limit"] } },
    middlewares: { limit: { rateLimit } },
  };
  writeFileSync(join(folder, "routes.yaml"), stringify({ http }));
  const port = await freePort();
  const options = {
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    ping: { manualRouting: true },
    entryPoints: { web: { address: `127.0.0.1:${port}`, forwardedHeaders } },
    providers: { file: { filename: join(folder, "routes.yaml") } },
  };
  writeFileSync(join(folder, "traefik.yaml"), stringify(options));
  const process = spawn(traefik, [`--configFile=${join(folder, "traefik.yaml")}`], { stdio: "ignore" });
  const exit = once(process, "exit");
  const statusFor = async (client: string) => {
    const url = `http://127.0.0.1:${port}/`;
    return (await fetch(url, { headers: { "x-forwarded-for": client } })).status;
  };
  try {
    // A client of its own, so that the wait uses up no request of the two below.
    await vi.waitFor(async () => expect([200, 429]).toContain(await statusFor("192.0.2.99")), { timeout: 30_000 });
    const statuses: number[] = [];
    for (const client of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) statuses.push(await statusFor(client));
    return statuses;
  } finally {
    process.kill("SIGKILL");
    await exit;
    rmSync(folder, { recursive: true });
  }
}

test("each client has its own limit when Traefik trusts the proxy", async () => {
  expect(await statusesWith({ trustedIPs: ["127.0.0.1/32"] })).toEqual([200, 200, 429, 200]);
});

test("one client locks out the others when Traefik trusts no proxy", async () => {
  const statuses = await statusesWith({ insecure: false });
  expect(statuses.slice(-2)).toEqual([429, 429]);
});
