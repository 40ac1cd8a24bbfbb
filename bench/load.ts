import { CoreV1Api } from "@kubernetes/client-node";
import autocannon from "autocannon";
import { RetryingKubeConfig } from "../infra/kubeConfig.ts";
import type { Platform } from "../local/platform/platform.ts";
import type { Measurement } from "./measurement.ts";

/** How long each case is loaded. */
export const SECONDS = 5;

/** The request of one case. */
export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 200. */
  readonly status?: number;
}

/** Requests per second and latency of one case; responses of another status are counted as unexpected. */
export async function load(
  what: string,
  { url, headers = {}, status = 200 }: Target,
  connections: number,
): Promise<Measurement> {
  const { requests, latency, statusCodeStats, errors } = await autocannon({
    url,
    headers,
    connections,
    duration: SECONDS,
  });
  const expected = statusCodeStats?.[`${status}`]?.count ?? 0;
  return {
    what,
    connections,
    "requests/s": Math.round(requests.average),
    "p50 ms": latency.p50,
    "p99 ms": latency.p99,
    unexpected: requests.total - expected + errors,
  };
}

/** The addresses of PostgREST's pods: the baseline has neither gateway nor Service in front. */
export async function podAddresses({ kubeconfig }: Platform): Promise<string[]> {
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const labelSelector = "app.kubernetes.io/name=postgrest";
  const { items } = await config.makeApiClient(CoreV1Api).listPodForAllNamespaces({ labelSelector });
  const addresses = items.flatMap(({ status }) => status?.podIP ?? []);
  if (addresses.length === 0) {
    throw new Error("No PostgREST pod has an address. Deploy first.");
  }
  return addresses;
}
