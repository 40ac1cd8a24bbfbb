import pLimit from "p-limit";
import pRetry from "p-retry";
import pTimeout from "p-timeout";
import type { Plan } from "../../infra/plan/types.ts";
import { withClient } from "../clients/http.ts";
import type { Report } from "../terminal/progress.ts";
import { expectPage } from "../checks/verify/gateway.ts";

/** How long a deployment waits for its outposts to serve every host, in milliseconds. An outpost loads new providers some seconds later. */
const WAIT = { timeout: 300_000, interval: 500 };
const MAX_CONCURRENT_REQUESTS = 16;

/**
 * Polls every host behind forward auth without a session until it redirects to the login page.
 * @param report receives the number of hosts that do not yet
 * @returns URLs of the hosts that do not when the timeout has passed
 */
export async function waitForOutposts(
  { exposures, identityProviderUrl = "" }: Pick<Plan, "exposures" | "identityProviderUrl">,
  report: Report,
  { timeout, interval } = WAIT,
): Promise<string[]> {
  const hosts = exposures.filter(({ authentication }) => authentication === "forward-auth");
  const missing = new Set(hosts.map(({ url }) => url));
  const reportMissing = (): void => report(`${missing.size} of ${hosts.length} hosts are still missing`);
  const limit = pLimit(MAX_CONCURRENT_REQUESTS);
  const signal = AbortSignal.timeout(timeout);
  reportMissing();
  await withClient(async (client) => {
    const polls = hosts.map(async (exposure) => {
      const poll = async (): Promise<void> => {
        const response = await limit(() => client.send(`${exposure.url}/`, { excerpt: true }));
        expectPage({ kind: "login" }, response, identityProviderUrl);
      };
      await pRetry(poll, { retries: Infinity, factor: 1, minTimeout: interval, signal });
      missing.delete(exposure.url);
      reportMissing();
    });
    await pTimeout(Promise.allSettled(polls), { milliseconds: timeout, fallback: () => undefined });
  });
  return [...missing];
}
