/** Processes of a running platform, for tests that stop one or start another. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Platform } from "../../local/platform/platform.ts";
import { freePort } from "../../local/platform/ports.ts";
import { processIds, readProcess } from "../../local/platform/procfs.ts";

/** Command lines of the emulator of authentik, and of the programs that `ak server` and `ak worker` of a real one become. */
export const IDENTITY_PROVIDER = {
  server: /authentik\/main\.ts server|(^|\/)authentik (server )?$/,
  everyRole: /authentik\/main\.ts|(^|\/)authentik (server )?$|manage worker /,
};

/** Returns the ids of the platform's processes whose command line matches. */
export function processes({ tag: [name, value] }: Platform, command: RegExp): number[] {
  const tag = `${name}=${value}`;
  const commandOf = (pid: number): string => readProcess(pid, "cmdline").replaceAll("\0", " ");
  return processIds().filter((pid) => command.test(commandOf(pid)) && readProcess(pid, "environ").includes(tag));
}

/** Returns processes and their children, e.g. Postgres and its backends, whose environment is not readable. */
export function withChildren(pids: readonly number[]): number[] {
  const children = pids.flatMap((pid) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean),
  );
  return [...pids, ...children.map(Number)];
}

/** Sends a signal. @throws if there is no process, since such a test would verify nothing */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  if (pids.length === 0) throw new Error(`no process to send ${name} to`);
  for (const pid of pids) process.kill(pid, name);
}

interface Gateway {
  /** Origin of its entry point for HTTP; no host name resolves to it. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts another Traefik with the same configuration. The platform stops when its own Traefik exits. */
export async function startSecondGateway({ data, kubeconfig, tag, tools }: Platform): Promise<Gateway> {
  const folder = join(data, "traefik");
  const configuration = parse(readFileSync(join(folder, "traefik.yaml"), "utf8")) as {
    accessLog: unknown;
    entryPoints: Record<string, { address: string }>;
  };
  const port = await freePort();
  for (const [name, entryPoint] of Object.entries(configuration.entryPoints)) {
    entryPoint.address = `127.0.0.1:${name === "web" ? port : 0}`;
  }
  const file = join(folder, "second.yaml");
  writeFileSync(file, stringify({ ...configuration, accessLog: undefined }));
  const env = { KUBECONFIG: kubeconfig, [tag[0]]: tag[1] };
  const traefik = spawn(tools.traefik, [`--configFile=${file}`], { env, cwd: folder, stdio: "ignore" });
  return { origin: `http://127.0.0.1:${port}`, stop: () => end(traefik) };
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
