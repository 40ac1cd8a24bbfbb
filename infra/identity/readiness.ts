import pRetry from "p-retry";
import { Agent, request } from "undici";
import { lookup } from "../loopback.ts";

/** Made by authentik's last blueprint for proxy providers; there before it, a login would fail. */
const LAST_FLOW = "default-provider-invalidation-flow";
const ATTEMPTS = 240;
const PAUSE_MS = 500;

/**
 * Waits until authentik answers API calls: its status is no sign, since while it starts it says `200 {"error": "authentik starting"}`,
 * and believes deletes in that moment; and its default flows appear after it calls itself ready (authentik docs, bootstrap).
 * @param url origin of the server, without `/api/v3`
 * @param token API token; never part of the error
 * @throws after two minutes, with the last answer's status
 */
export async function waitUntilReady(url: string, token: string): Promise<void> {
  const dispatcher = new Agent({ connect: { lookup, timeout: 2_000 } });
  try {
    await pRetry(() => findFlow(url, token, dispatcher), {
      retries: ATTEMPTS,
      factor: 1,
      minTimeout: PAUSE_MS,
      maxTimeout: PAUSE_MS,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the identity provider at ${url} did not become ready: ${reason}; see its pods' logs, or set identity_provider.api_url if this machine reaches it elsewhere`,
      { cause: error },
    );
  } finally {
    await dispatcher.destroy();
  }
}

async function findFlow(url: string, token: string, dispatcher: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const answer = await request(`${url}/api/v3/flows/instances/?slug=${LAST_FLOW}`, { headers, dispatcher });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || !text.includes(`"${LAST_FLOW}"`)) {
    throw new Error(`status ${answer.statusCode}, flow "${LAST_FLOW}" not in the answer`);
  }
}
