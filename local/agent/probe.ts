import type { IntOrString, V1Container, V1Probe } from "@kubernetes/client-node";
import { request } from "undici";

/**
 * Asks a container's readiness probe once. No probe, or one of another kind than httpGet: ready.
 * @param ip the Pod's address
 */
export async function probe(container: V1Container, ip: string): Promise<boolean> {
  const { httpGet, timeoutSeconds = 1 }: V1Probe = container.readinessProbe ?? {};
  if (!httpGet) return true;
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

/** A port given by number, or by the name the container gives it. */
export function portOf(container: V1Container | undefined, port: IntOrString): number {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}
