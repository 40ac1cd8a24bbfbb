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
 * @param version what the server should be; the Terraform provider reads servers of its own line only (its issues 966 and 912)
 * @throws after two minutes, with the last answer's status; at once when the server is of another line
 */
export async function waitUntilReady(url: string, token: string, version: string): Promise<void> {
  const dispatcher = new Agent({ connect: { lookup, timeout: 2_000 } });
  const ask = (path: string): Promise<string> => answerTo(`${url}/api/v3${path}`, token, dispatcher);
  try {
    await pRetry(() => findFlow(ask), {
      retries: ATTEMPTS,
      factor: 1,
      minTimeout: PAUSE_MS,
      maxTimeout: PAUSE_MS,
    }).catch((error: unknown) => {
      throw notReady(url, error);
    });
    await refuseOtherLine(ask, url, version);
  } finally {
    await dispatcher.destroy();
  }
}

function notReady(url: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `the identity provider at ${url} did not become ready: ${reason}; see its pods' logs, or set identity_provider.api_url if this machine reaches it elsewhere`,
    { cause: error },
  );
}

async function findFlow(ask: (path: string) => Promise<string>): Promise<void> {
  if (!(await ask(`/flows/instances/?slug=${LAST_FLOW}`)).includes(`"${LAST_FLOW}"`)) {
    throw new Error(`flow "${LAST_FLOW}" is not there`);
  }
}

async function refuseOtherLine(ask: (path: string) => Promise<string>, url: string, expected: string): Promise<void> {
  const { version_current: found } = JSON.parse(await ask("/admin/version/")) as { version_current: string };
  const line = (version: string): string => version.split(".").slice(0, 2).join(".");
  if (line(found) !== line(expected)) {
    throw new Error(
      `the identity provider at ${url} is authentik ${found}, and identity_provider.version says ${expected}; write what runs there, or update it`,
    );
  }
}

async function answerTo(url: string, token: string, dispatcher: Agent): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const answer = await request(url, { headers, dispatcher });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return text;
}
