import { connect, createServer, type Server, type Socket } from "node:net";
import type { V1Pod, V1Service, V1ServicePort } from "@kubernetes/client-node";
import { matchesLabels } from "../../infra/labels.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { portOf } from "./probe.ts";

/** Emulates kube-proxy: listens on each Service's cluster IP and port and forwards to its ready Pods in turn. */
export class Services {
  readonly #pods: () => readonly V1Pod[];
  /** `<ip>:<port>` → the listener and what it serves. */
  readonly #listeners = new Map<string, { server: Server; service: V1Service; port: V1ServicePort; turn: number }>();

  /** @param pods all Pods that are known now */
  constructor(pods: () => readonly V1Pod[]) {
    this.#pods = pods;
  }

  /** A Service was added or changed. */
  put(service: V1Service): void {
    this.#close(service, service.spec?.ports ?? []);
    for (const port of forwarded(service)) {
      const key = `${service.spec?.clusterIP}:${port.port}`;
      const known = this.#listeners.get(key);
      this.#listeners.set(key, {
        server: known?.server ?? this.#listen(key, service, port),
        service,
        port,
        turn: known?.turn ?? 0,
      });
    }
  }

  /** Stops listening for a deleted Service. */
  remove(service: V1Service): void {
    this.#close(service, []);
  }

  #close(service: V1Service, keep: readonly V1ServicePort[]): void {
    for (const [key, listener] of this.#listeners) {
      if (listener.service.metadata?.uid !== service.metadata?.uid) continue;
      if (keep.some(({ port }) => key === `${service.spec?.clusterIP}:${port}`)) continue;
      listener.server.close();
      this.#listeners.delete(key);
    }
  }

  #listen(key: string, service: V1Service, { port }: V1ServicePort): Server {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#forward(key, client));
    server.on("error", (error: NodeJS.ErrnoException) => {
      const hint = error.code === "EACCES" ? ". Set a port of 1024 or more, or start the platform as root." : "";
      console.error(
        `Service ${service.metadata?.namespace}/${service.metadata?.name} is not reachable at ${key}: ${error.message}${hint}`,
      );
    });
    return server.listen(port, service.spec?.clusterIP);
  }

  #forward(key: string, client: Socket): void {
    const listener = this.#listeners.get(key);
    const pods = listener ? this.#pods().filter((pod) => isReadyPod(pod) && selects(listener.service, pod)) : [];
    const pod = listener && pods[listener.turn++ % pods.length];
    if (!pod) {
      client.destroy(); // like a refused connection: no Pod is ready
      return;
    }
    const port = portOf(pod.spec?.containers[0], listener.port.targetPort ?? listener.port.port);
    const upstream = connect({ host: pod.status?.podIP ?? "", port, allowHalfOpen: true, noDelay: true });
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  }
}

function forwarded(service: V1Service): readonly V1ServicePort[] {
  const { clusterIP, selector, ports = [] } = service.spec ?? {};
  if (!clusterIP || clusterIP === "None" || !selector) return [];
  return ports.filter(({ protocol }) => protocol === undefined || protocol === "TCP");
}

function selects(service: V1Service, pod: V1Pod): boolean {
  const isSameNamespace = service.metadata?.namespace === pod.metadata?.namespace;
  return isSameNamespace && matchesLabels(service.spec?.selector ?? {}, pod.metadata?.labels);
}
