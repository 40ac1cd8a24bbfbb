/** Ports, environment and probes that authentik's containers share. */
import { AUTHENTIK_PORT } from "../plan/ownServices.ts";
import { AUTHENTIK_METRICS } from "../observability/targets.ts";

export const HTTPS_PORT = 9443;

/** IPv4 addresses: the default `[::]` fails on nodes without IPv6 (authentik docs, "Configuration", listen settings). */
export const LISTEN = [
  { name: "AUTHENTIK_LISTEN__HTTP", value: `0.0.0.0:${AUTHENTIK_PORT}` },
  { name: "AUTHENTIK_LISTEN__HTTPS", value: `0.0.0.0:${HTTPS_PORT}` },
  { name: "AUTHENTIK_LISTEN__METRICS", value: `0.0.0.0:${AUTHENTIK_METRICS.containerPort}` },
  // The image's own value; sessions, sockets and gunicorn's heartbeats are there (authentik #22856, #25876).
  { name: "TMPDIR", value: "/dev/shm" },
];

/**
 * Minutes that the first start of the server and the worker may take, with all migrations: on two cores it took 2 to 6 min, and more than 10 next to
 * 20 other processes (measured). The startup probe of the Helm chart and the Kubernetes provider of Pulumi give up after 10.
 */
export const FIRST_START_MINUTES = 20;

/** Times of the official Helm chart. */
export const PROBES = {
  startup: { periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 60 },
  ready: { periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 3 },
  live: { periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 3 },
};
