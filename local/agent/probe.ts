import { execFile } from "node:child_process";
import type { IntOrString, V1Container, V1Probe } from "@kubernetes/client-node";
import { request } from "undici";
import { tryConnection } from "../../ops/clients/connection.ts";
import { inherited } from "../platform/processes.ts";
import type { Prepared } from "./container.ts";
import type { Command } from "./command.ts";

/** A command starts more slowly here than in a container, which has its interpreter in memory. */
const EXEC_FACTOR = 5;

/**
 * Runs a container's readiness probe once: httpGet or exec. One of another kind checks whether the first port is open; no probe: ready.
 * @param ip the Pod's address
 * @param prepared what runs in the Pod, with the command of an exec probe
 */
export async function probe(container: V1Container, ip: string, prepared: Prepared): Promise<boolean> {
  const { httpGet, timeoutSeconds = 1 }: V1Probe = container.readinessProbe ?? {};
  if (!container.readinessProbe) return true;
  if (prepared.probe) return succeeds(prepared.probe, prepared, timeoutSeconds);
  if (!httpGet)
    return tryConnection({ host: ip, port: container.ports?.[0]?.containerPort ?? 0 }).then(
      () => true,
      () => false,
    );
  const headers = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const url = new URL(httpGet.path ?? "/", `http://${httpGet.host ?? ip}:${portOf(container, httpGet.port)}`);
  try {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const { statusCode, body } = await request(url, { headers, signal, reset: true });
    await body.dump();
    return statusCode >= 200 && statusCode < 400;
  } catch {
    return false; // refused or too slow
  }
}

function succeeds({ file, args, env }: Command, { folder, env: own }: Prepared, seconds: number): Promise<boolean> {
  const options = {
    cwd: folder,
    env: { ...inherited(), ...own, ...env },
    timeout: EXEC_FACTOR * seconds * 1000,
  };
  return new Promise((resolve) => execFile(file, [...args], options, (error) => resolve(error === null)));
}

/** A port given by number, or by the name the container gives it. */
export function portOf(container: V1Container | undefined, port: IntOrString): number {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}
