import { connect } from "node:net";
import type { IntOrString, V1Container, V1Probe } from "@kubernetes/client-node";
import { request } from "undici";

/**
 * Asks a container's readiness probe once. One of another kind than httpGet asks whether the first port is open; no probe: ready.
 * @param ip the Pod's address
 */
export async function probe(container: V1Container, ip: string): Promise<boolean> {
  const { httpGet, timeoutSeconds = 1 }: V1Probe = container.readinessProbe ?? {};
  if (!container.readinessProbe) return true;
  if (!httpGet) return isOpen(ip, container.ports?.[0]?.containerPort ?? 0);
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

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }).once("error", () => resolve(false));
    socket.once("connect", () => resolve(Boolean(socket.destroy())));
  });
}

/** A port given by number, or by the name the container gives it. */
export function portOf(container: V1Container | undefined, port: IntOrString): number {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}
