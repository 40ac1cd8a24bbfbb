import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { IntOrString, V1Container, V1Probe } from "@kubernetes/client-node";

/**
 * Asks a container's readiness probe once. No probe, or one that would run inside the container (exec, grpc): ready.
 * @param ip the Pod's address
 */
export async function probe(container: V1Container, ip: string): Promise<boolean> {
  const { readinessProbe } = container;
  const timeout = (readinessProbe?.timeoutSeconds ?? 1) * 1000;
  try {
    if (readinessProbe?.httpGet) return await httpGet(readinessProbe.httpGet, container, ip, timeout);
    if (readinessProbe?.tcpSocket) await tcpConnect(portOf(container, readinessProbe.tcpSocket.port), ip, timeout);
    return true;
  } catch {
    return false; // refused or too slow
  }
}

async function httpGet(
  action: NonNullable<V1Probe["httpGet"]>,
  container: V1Container,
  ip: string,
  timeout: number,
): Promise<boolean> {
  const headers = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const options = {
    host: action.host ?? ip,
    port: portOf(container, action.port),
    path: action.path ?? "/",
    headers,
    agent: false,
  };
  const status = await new Promise<number>((resolve, reject) => {
    request({ ...options, signal: AbortSignal.timeout(timeout) }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });
  return status >= 200 && status < 400;
}

async function tcpConnect(port: number, host: string, timeout: number): Promise<void> {
  const socket = connect({ port, host });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeout) });
  } finally {
    socket.destroy();
  }
}

/** A port given by number, or by the name the container gives it. */
export function portOf(container: V1Container | undefined, port: IntOrString): number {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}
