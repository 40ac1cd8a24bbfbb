import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Agent, request } from "undici";
import { stringify } from "yaml";
import { apiServerCertificate } from "./cluster.ts";
import { ACCESS_LOG, METRICS } from "./traefikArguments.ts";
import { choosePorts } from "./ports.ts";
import type { Processes } from "./processes.ts";

export interface GatewayPorts {
  readonly http: number;
  readonly https: number;
  readonly ping: number;
}

/**
 * Starts Traefik on 127.0.0.1 as the gateway of the cluster, on the ports of the last run; at first HTTP on 80, else 8080, HTTPS on 443,
 * else 8443, where that is allowed and free. The custom resource definitions must be there.
 */
export async function startTraefik(
  processes: Processes,
  command: string,
  data: string,
  kubeconfig: string,
): Promise<GatewayPorts> {
  const folder = path.join(data, "traefik");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, "traefik.yaml");
  const accessLog = processes.logOf("access");
  rmSync(accessLog, { force: true });
  const ports = await choosePorts(data, { http: [80, 8080], https: [443, 8443], ping: [] });
  const certificates = path.join(folder, "certificates.yaml");
  writeFileSync(certificates, stringify(defaultCertificate(data)), { mode: 0o600 });
  writeFileSync(file, stringify(configuration(ports, accessLog, certificates)), { mode: 0o600 });
  const args = [`--configFile=${file}`];
  const env = { KUBECONFIG: kubeconfig };
  processes.start({ name: "traefik", command, args, env, cwd: folder, stopSignal: "SIGKILL" });
  await processes.until("traefik", () => isReady(ports.ping));
  return ports;
}

/** Returns whether Traefik answers. Not with fetch: it can use the proxy of the environment (NODE_USE_ENV_PROXY). */
async function isReady(ping: number): Promise<boolean> {
  const { statusCode, body } = await request(`http://127.0.0.1:${ping}/ping`, { dispatcher: direct });
  await body.dump();
  return statusCode === 200;
}
const direct = new Agent();

/** docs/prerequisites.md, "Size of headers". */
const LIMITS = { http: { maxHeaderBytes: 65_536 } };

/** Returns the static configuration (doc.traefik.io, install-configuration): no dashboard, no API, no trusted proxy, so no believed X-Forwarded-*. */
function configuration(ports: GatewayPorts, accessLog: string, certificates: string): object {
  return {
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    log: { level: "INFO", noColor: true },
    accessLog: { ...ACCESS_LOG, filePath: accessLog },
    metrics: { prometheus: { ...METRICS.prometheus, entryPoint: "ping" } },
    ping: { entryPoint: "ping" },
    entryPoints: {
      // Without options for encoded characters, as in k3s and in the Helm chart.
      web: { address: `127.0.0.1:${ports.http}`, ...LIMITS },
      websecure: { address: `127.0.0.1:${ports.https}`, ...LIMITS },
      ping: { address: `127.0.0.1:${ports.ping}` },
    },
    // Traefik's default is 2 s, which every change would wait for here.
    providers: {
      providersThrottleDuration: "100ms",
      // Both as in k3s and in the default values of the Helm chart. Pods have loopback addresses, which an EndpointSlice cannot contain.
      kubernetesCRD: { allowCrossNamespace: false, allowExternalNameServices: false, nativeLBByDefault: true },
      kubernetesIngress: { allowExternalNameServices: false, nativeLBByDefault: true },
      file: { filename: certificates, watch: false },
    },
  };
}

/**
 * Returns the default certificate, the self-signed one of the API server. Without one, Traefik generates an RSA key whenever its configuration changes:
 * a third of its CPU time in `test/domains` (measured with 3.7.5).
 */
function defaultCertificate(data: string): object {
  const { certificate, key } = apiServerCertificate(data);
  return { tls: { stores: { default: { defaultCertificate: { certFile: certificate, keyFile: key } } } } };
}
