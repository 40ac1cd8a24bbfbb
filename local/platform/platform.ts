import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { UserError } from "../../config/errors/userError.ts";
import { findPlugins, type Plugin, emulatedPlugins } from "../../ops/toolchain/plugins.ts";
import { platformProblem } from "../../ops/launcher/localPlatform.js";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";
import { thisMachine } from "../../ops/toolchain/tools.ts";
import type { Progress, Report } from "../../ops/terminal/progress.ts";
import { startAgent } from "../agent/start.ts";
import { type Addresses, type Claim, claimAddresses } from "./addresses.ts";
import { applyYaml } from "./api.ts";
import { findAuthentik } from "./authentik.ts";
import { CONTEXT, startCluster, startControllers } from "./cluster.ts";
import { openDataFolder } from "./data.ts";
import { writeLaunchers } from "./launchers.ts";
import { choosePorts, releasePorts } from "./ports.ts";
import { startPostgres, type PostgresAddress } from "./postgres.ts";
import { Processes } from "./processes.ts";
import { pulumiHome } from "./pulumiHome.ts";
import { localSecret } from "./secrets.ts";
import { killTagged, TAG } from "./processTag.ts";
import { type GatewayPorts, startTraefik } from "./traefik.ts";

/** A running local platform; everything listens on loopback. */
export interface Platform {
  /** The data folder. */
  readonly data: string;
  /** Path of a kubeconfig of an administrator. */
  readonly kubeconfig: string;
  /** Its context. */
  readonly context: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The server and its superuser. */
  readonly postgres: PostgresAddress;
  /** The executable of a real authentik; undefined = the emulator. */
  readonly authentik: string | undefined;
  readonly tools: Readonly<Record<PlatformTool, string>>;
  readonly plugins: readonly Plugin[];
  /** Folder with the launchers of emulated plugins; must be first in PATH. */
  readonly pluginPath: string;
  /** For the environment of anything else that must not outlive the platform: `[name, value]`. */
  readonly tag: readonly [string, string];
}

/** A platform that this process started. */
export interface StartedPlatform extends Platform {
  /** Ends every program and frees the data folder. May be called again. */
  stop(): Promise<void>;
  /** Resolves when a program died; the platform has stopped by then. Never rejects. */
  readonly failed: Promise<Error>;
}

/** The programs and definitions that a platform needs. */
export const PLATFORM_TOOLS = [
  "pulumi",
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "traefik",
  "traefik-crds",
  "externaldns-crds",
] as const;
type PlatformTool = (typeof PLATFORM_TOOLS)[number];

/** Longest path of a data folder. Below it, a real authentik creates a socket (docs/authentik.md). */
const MAX_DATA_PATH = 65;

/**
 * Starts the local platform, on old data or new. No process survives the calling one.
 * @param options.data the data folder; created when missing
 * @throws AlreadyRunning; UserError when the path of the data folder is too long; Error with the end of a program's log when one does not start
 */
export async function startPlatform(options: { data: string; progress: Progress }): Promise<StartedPlatform> {
  const problem = platformProblem(thisMachine().platform);
  if (problem) throw new Error(problem);
  const { progress } = options;
  const folder = await openDataFolder(options.data);
  const data = folder.path;
  if (Buffer.byteLength(data) > MAX_DATA_PATH) {
    folder.release();
    const problem = `the path of the data folder ${data} is longer than ${MAX_DATA_PATH} characters`;
    throw new UserError(problem, "set GATEHOUSE_DATA to a folder with a shorter path");
  }
  const tag = `${data}:${process.pid}-${Date.now()}`;
  const processes = new Processes(path.join(data, "logs"), tag);
  let addresses: Claim | undefined;
  const stop = once(async () => {
    await processes.stop(["agent"]);
    addresses?.release();
    releasePorts(data);
    folder.release();
  });
  try {
    const authentik = findAuthentik(process.env);
    const tools = await ensureTools(PLATFORM_TOOLS, progress, { local: true });
    await killTagged(`${data}:`); // what a run may have left that was killed together with its reaper
    const claimed = (addresses = await claimAddresses(data));
    const running = progress.step(
      "Local platform",
      (report) => startPrograms(processes, { data, tools, authentik, addresses: claimed }, report),
      "8 s",
    );
    const home = { ...process.env, PULUMI_HOME: pulumiHome() };
    const [started, plugins] = await Promise.all([running, findPlugins(tools.pulumi, home, progress)]);
    const missing = emulatedPlugins(plugins).map(({ name }) => name);
    if (missing.length > 0)
      progress.note(`Emulators serve for the provider plugins ${missing.join(", ")}: the real ones are not installed.`);
    const pluginPath = writeLaunchers(data, plugins);
    const failed = processes.failed.then((error) => stop().then(() => error));
    return {
      data,
      context: CONTEXT,
      ...started,
      authentik,
      tools,
      plugins,
      pluginPath,
      tag: [TAG, tag],
      stop,
      failed,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  readonly data: string;
  readonly tools: Record<PlatformTool, string>;
  readonly authentik: string | undefined;
  readonly addresses: Addresses;
}

async function startPrograms(
  processes: Processes,
  { data, tools, authentik, addresses }: Parts,
  report: Report,
): Promise<Pick<Platform, "kubeconfig" | "httpPort" | "httpsPort" | "postgres">> {
  const ports = await choosePorts(data, { kubernetes: [], postgres: [] });
  const kubeconfig = path.join(data, "kubeconfig");
  // The port of an earlier run may be free, or belong to another program.
  rmSync(kubeconfig, { force: true });

  const kubernetes = async (): Promise<GatewayPorts> => {
    const token = localSecret(data, "kubernetes");
    await startCluster(processes, tools, {
      data,
      token,
      kubeconfig,
      port: ports.kubernetes,
      services: addresses.services,
    });
    report("Kubernetes is up");
    startControllers(processes, tools["kube-controller-manager"], kubeconfig);
    const gateway = async (): Promise<GatewayPorts> => {
      await applyDefinitions(kubeconfig, data, [tools["traefik-crds"], tools["externaldns-crds"]]);
      return startTraefik(processes, tools.traefik, data, kubeconfig);
    };
    const [gatewayPorts] = await Promise.all([
      gateway(),
      startAgent(processes, { data, kubeconfig, pods: addresses.pods, authentik }),
    ]);
    return gatewayPorts;
  };
  const [postgres, { http, https }] = await Promise.all([
    startPostgres(processes, data, ports.postgres, localSecret(data, "postgres")),
    kubernetes(),
  ]);
  return { kubeconfig, httpPort: http, httpsPort: https, postgres };
}

/** Applies definitions. Those of the last start are not sent again: the API server takes a second for them. */
async function applyDefinitions(kubeconfig: string, data: string, files: readonly string[]): Promise<void> {
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n---\n");
  const applied = path.join(data, "kubernetes", "definitions.yaml");
  if (existsSync(applied) && readFileSync(applied, "utf8") === text) return;
  await applyYaml(kubeconfig, text);
  writeFileSync(applied, text);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
