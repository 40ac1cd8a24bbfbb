import pRetry from "p-retry";
import { lookup } from "../../../../infra/loopback.ts";
import { errorText } from "../../../../config/errors/errorText.ts";
import { tryConnection } from "../../../clients/connection.ts";

/**
 * Two minutes: CoreDNS serves a changed ConfigMap after 45-80 s, and a NetworkPolicy admits a new pod after up to 216 ms (measured). The limit is a
 * time, because an attempt without a response takes five seconds.
 */
const MAX_WAIT_MS = 120_000;
const REPORT_EVERY = 10;

/**
 * Waits until the gateway accepts a connection at the host of a URL, at most two minutes; the probes then report the problem.
 * @param report receives the problem at the first failed attempt, and every ten after it
 */
export async function waitForGateway(
  url: string,
  report: (problem: string, attempt: number) => void,
  { limit = MAX_WAIT_MS, pause = 1_000 } = {},
): Promise<void> {
  await pRetry(() => open(new URL(url)), {
    retries: Infinity,
    maxRetryTime: limit,
    factor: 1,
    minTimeout: pause,
    maxTimeout: pause,
    onFailedAttempt: ({ error, attemptNumber }) => {
      if (attemptNumber % REPORT_EVERY === 1) report(errorText(error), attemptNumber);
    },
  }).catch(() => undefined);
}

function open({ hostname, port, protocol }: URL): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, "");
  return tryConnection({ host, port: Number(port || (protocol === "https:" ? 443 : 80)), lookup });
}
