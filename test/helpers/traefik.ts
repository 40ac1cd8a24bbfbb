/** The real Traefik with routes from a file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { stringify } from "yaml";
import { freePort } from "../../local/platform/ports.ts";
import { createProgress } from "../../ops/terminal/progress.ts";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";

export interface RunningTraefik {
  readonly stop: () => Promise<void>;
}

/**
 * Starts Traefik, and returns when it serves the routes.
 * @param entryPoints of its static configuration
 * @param http of its dynamic configuration: routers, services, middlewares
 * @param tls of its dynamic configuration: certificates, options
 */
export async function startTraefik(
  entryPoints: object,
  { routers, ...http }: { readonly routers: object; readonly services?: object; readonly middlewares?: object },
  tls?: object,
): Promise<RunningTraefik> {
  const { traefik } = await ensureTools(["traefik"], createProgress(), { local: true });
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-traefik-"));
  const file = (name: string, content: object): string => {
    writeFileSync(join(folder, name), stringify(content));
    return join(folder, name);
  };
  const port = await freePort();
  const ready = { rule: "Path(`/ready`)", service: "ping@internal", entryPoints: ["ready"] };
  const filename = file("routes.yaml", { http: { ...http, routers: { ...routers, ready } }, ...(tls && { tls }) });
  const options = {
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    ping: { manualRouting: true },
    entryPoints: { ...entryPoints, ready: { address: `127.0.0.1:${port}` } },
    providers: { file: { filename } },
  };
  const process = spawn(traefik, [`--configFile=${file("traefik.yaml", options)}`], { stdio: "ignore" });
  const exit = once(process, "exit");
  const stop = async (): Promise<void> => {
    process.kill("SIGKILL");
    await exit;
    rmSync(folder, { recursive: true });
  };
  try {
    await vi.waitFor(
      async () => {
        if ((await fetch(`http://127.0.0.1:${port}/ready`)).status !== 200) throw new Error("Traefik has no route yet");
      },
      { timeout: 240_000 },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
