/** The responses of hosts, without a session and to an allowed user. */
import { lookup } from "../../../../infra/loopback.ts";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { isGatewayResponse, isOutpostWithoutProvider } from "../../../clients/gatewayResponse.ts";
import { type HttpResponse, createClient, type HttpClient, RedirectError } from "../../../clients/http.ts";
import { type Credentials, signIn } from "../../../clients/signIn.ts";
import type { Answers, Trail } from "../evidence.ts";
import { MAX_OBSERVATION_MS, observe, rootReason } from "../../observation.ts";
import { pageUrl } from "../../../../infra/plan/exposure.ts";

/**
 * How long a sign-in may take as a whole, in milliseconds: some fifteen requests, each of which has {@link MAX_OBSERVATION_MS}. Those of five hosts at the
 * same time took a real authentik more than 10 s on a busy machine with two cores.
 */
const MAX_SIGN_IN_MS = 60_000;

export interface TestUser extends Credentials {
  readonly groups: readonly string[];
}

/**
 * Sends requests to one exposure.
 * @param user an allowed user; undefined = no sign-in
 */
export async function requestExposure(exposure: Exposure, user: TestUser | undefined): Promise<Answers> {
  const url = pageUrl(exposure);
  const [withoutSession, trail] = await Promise.all([
    traced(url, (client) => client.follow(url)),
    user && traced(url, (client) => signIn(client, url, user), MAX_SIGN_IN_MS),
  ]);
  return { withoutSession, withSession: user && trail && { username: user.username, trail } };
}

/** Sends requests to an unplanned host at these origins, until one is served. */
export async function requestHost(
  host: string,
  origins: readonly string[],
): Promise<{ url: string; answers: Answers }> {
  const none: Trail = { hops: [], end: { error: "not requested" }, text: "other" };
  let last = { url: `http://${host}`, answers: { withoutSession: none, withSession: undefined } };
  for (const origin of origins) {
    const trail = await traced(`${origin}/`, (client) => client.follow(`${origin}/`));
    last = { url: origin, answers: { withoutSession: trail, withSession: undefined } };
    if (trail.hops.length > 0 && trail.text !== "gateway: no route") return last;
  }
  return last;
}

async function traced(
  url: string,
  work: (client: HttpClient) => Promise<HttpResponse>,
  limit = MAX_OBSERVATION_MS,
): Promise<Trail> {
  // Certificates are checked by verify.
  const client = createClient({ lookup, rejectUnauthorized: false, timeout: MAX_OBSERVATION_MS });
  const done = await observe(url, () => work(client).then(() => "answered" as const, endOf), limit);
  await client.close();
  const end = "value" in done ? done.value : { error: done.unavailable.replace(`${url}: `, "") };
  return { hops: client.hops, end, text: textOf(client.last()) };
}

function endOf(error: unknown): Trail["end"] {
  if (error instanceof RedirectError) return error.isLoop ? "loop" : "too many redirects";
  const { code } = error as { code?: string };
  return { error: code ?? rootReason(error) };
}

function textOf(response: HttpResponse | undefined): Trail["text"] {
  if (response === undefined) return "other";
  const { status: code, body } = response;
  if (code === 404 && isGatewayResponse(response)) return "gateway: no route";
  if (isOutpostWithoutProvider(response)) return "outpost: no provider";
  if (code === 403 && body.includes("CSRF Failed")) return "refused: origin";
  if (/Permission denied|Request has been denied/.test(body)) return "denied";
  return "other";
}
