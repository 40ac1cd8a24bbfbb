/** The responses of hosts, without a session and to an allowed user. */
import type { Exposure } from "../../../../infra/plan/types.ts";
import { lookup } from "../../../../infra/loopback.ts";
import { type Answer, createClient, headerOf, type HttpClient } from "../../../clients/http.ts";
import { isGatewayResponse } from "../../../clients/gatewayResponse.ts";
import { type Credentials, signIn } from "../../verify/signIn.ts";
import type { Answers, Hop, Trail } from "../evidence.ts";
import { look, MAX_OBSERVATION_MS, reasonOf } from "../observation.ts";
import { withoutQuery } from "./traefikObjects.ts";

/** The credentials and groups of a user. */
export interface TestUser extends Credentials {
  readonly groups: readonly string[];
}

/** A browser gives up later; a sign-in needs seven. */
const MAX_REDIRECTS = 15;
/** The same address, redirecting this often, is a loop. */
const MAX_VISITS = 3;
const FLOW_EXECUTOR = "/api/v3/flows/executor/";

/**
 * Asks one exposure.
 * @param user an allowed user; undefined = no sign-in
 */
export async function askExposure(exposure: Exposure, user: TestUser | undefined): Promise<Answers> {
  const url = exposure.role === "identity-provider" ? `${exposure.url}/if/admin/` : `${exposure.url}/`;
  const [withoutSession, trail] = await Promise.all([followed(url), user && signedIn(url, user)]);
  return { withoutSession, withSession: user && trail && { username: user.username, trail } };
}

/** Asks a host that no plan knows, over both protocols, and gives the one that answers. */
export async function askHost(host: string, ports: readonly string[]): Promise<{ url: string; answers: Answers }> {
  let last = { url: `http://${host}`, answers: nothing("not asked") };
  for (const origin of ports) {
    const trail = await followed(`${origin}/`);
    last = { url: origin, answers: { withoutSession: trail, withSession: undefined } };
    if (trail.hops.length > 0 && trail.text !== "gateway: no route") return last;
  }
  return last;
}

function nothing(error: string): Answers {
  return {
    withoutSession: { hops: [], end: { error }, text: "other" },
    withSession: undefined,
  };
}

/** A request without a session, and where it leads. */
function followed(url: string): Promise<Trail> {
  return traced(url, (client) => client.follow(url));
}

function signedIn(url: string, user: TestUser): Promise<Trail> {
  return traced(url, (client) => signIn(client, url, user));
}

class Stopped extends Error {
  readonly end: "loop" | "too many redirects";

  constructor(end: "loop" | "too many redirects") {
    super(end);
    this.end = end;
  }
}

async function traced(url: string, work: (client: HttpClient) => Promise<Answer>): Promise<Trail> {
  // Who answers is asked here, not whether its certificate holds; that is what verify is for.
  const client = createClient({ lookup, rejectUnauthorized: false, timeout: MAX_OBSERVATION_MS });
  const hops: Hop[] = [];
  let last: Answer | undefined;
  const send: HttpClient["send"] = async (to, options) => {
    // As a browser does, which authentik compares with what it takes for its own origin.
    const headers = options?.method === "POST" ? { ...options.headers, origin: new URL(to).origin } : options?.headers;
    last = await client.send(to, { ...options, ...(headers ? { headers } : {}) });
    hops.push({ url: withoutQuery(to), status: last.status });
    return last;
  };
  const follow = async (from: string): Promise<Answer> => {
    let answer = await send(from);
    for (let count = 0; ; count += 1) {
      const location = headerOf(answer, "location");
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      const next = new URL(location, answer.url).href;
      if (isLoop(hops, withoutQuery(next))) throw new Stopped("loop");
      if (count >= MAX_REDIRECTS) throw new Stopped("too many redirects");
      answer = await send(next);
    }
  };
  const done = await look(url, () => work({ ...client, send, follow }).then(() => "answered" as const, stopOf));
  await client.close();
  const end = "seen" in done ? done.seen : { error: done.unseen.replace(`${url}: `, "") };
  return { hops, end, text: textOf(last) };
}

/** authentik's flow executor redirects to its own address after each stage, so that is no loop. */
function isLoop(hops: readonly Hop[], next: string): boolean {
  if (new URL(next).pathname.startsWith(FLOW_EXECUTOR)) return false;
  const visits = hops.filter(({ url }) => url === next);
  return visits.length >= MAX_VISITS && visits.some(({ status }) => status >= 300 && status < 400);
}

function stopOf(error: unknown): Trail["end"] {
  if (error instanceof Stopped) return error.end;
  const { code } = error as { code?: string };
  return { error: code ?? reasonOf(error) };
}

function textOf(answer: Answer | undefined): Trail["text"] {
  if (answer === undefined) return "other";
  const { status: code, body } = answer;
  if (code === 404 && isGatewayResponse(answer)) return "gateway: no route";
  if (code === 400 && /"message":\s*"no app for hostname"/i.test(body)) return "outpost: no provider";
  if (code === 403 && body.includes("CSRF Failed")) return "refused: origin";
  if (/Permission denied|Request has been denied/.test(body)) return "denied";
  return "other";
}
