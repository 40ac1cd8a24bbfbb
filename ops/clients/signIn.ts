import type { HttpResponse, HttpClient } from "./http.ts";

/** The next challenge of the flow executor (authentik API, `ChallengeTypes`). */
interface Challenge {
  readonly component: string;
  readonly to?: string;
  readonly error_message?: string;
  readonly response_errors?: Readonly<Record<string, readonly { readonly string: string }[]>>;
}

/** Path of the authorization endpoint of authentik, which every login begins with. */
export const AUTHORIZE_PATH = "/application/o/authorize/";

const FLOW_PAGE = /^\/if\/flow\/([^/]+)\//;
const MAX_STAGES = 10;

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Opens a protected URL and signs in as a script would: redirects to the login page, the flow executor's API instead of the page's
 * form, and redirects back.
 * @param client starts without a session, and has one afterwards
 * @returns the response of the protected URL
 * @throws Error when the flow refuses, with authentik's own message
 */
export async function signIn(client: HttpClient, url: string, credentials: Credentials): Promise<HttpResponse> {
  let page = await client.follow(url);
  for (let flows = 0; flows < 3; flows += 1) {
    const [, flow] = FLOW_PAGE.exec(new URL(page.url).pathname) ?? [];
    if (flow === undefined) {
      return page;
    }
    page = await client.follow(await runFlow(client, new URL(page.url), flow, credentials));
  }
  return page;
}

const EXECUTOR = "/api/v3/flows/executor/";

/** Answers a flow's stages. @returns where it redirects to */
async function runFlow(client: HttpClient, page: URL, flow: string, credentials: Credentials): Promise<string> {
  const query = encodeURIComponent(page.search.replace(/^\?/, ""));
  const executor = `${page.origin}${EXECUTOR}${flow}/?query=${query}`;
  let challenge = parse(await client.follow(executor));
  for (let stage = 0; stage < MAX_STAGES; stage += 1) {
    if (challenge.component === "xak-flow-redirect" && challenge.to !== undefined) {
      const target = new URL(challenge.to, page.origin);
      if (!target.pathname.startsWith(EXECUTOR)) return target.href;
      // The server redirects to its executor when it cannot redirect to `next` (measured on 2026.5 with "javascript:").
      challenge = parse(await client.follow(target.href));
      continue;
    }
    const response = await client.send(executor, {
      method: "POST",
      // authentik compares the origin, which a browser sends, with the one that it takes for its own.
      headers: { "content-type": "application/json", accept: "application/json", origin: page.origin },
      body: JSON.stringify({ component: challenge.component, ...responseTo(challenge, credentials) }),
      once: true,
    });
    // A stage that is passed answers with a redirect to itself; the next challenge is fetched from there. A worker process that restarts can have passed it
    // before it fails: a repetition would answer the next stage (measured on 2026.5.0-rc1).
    challenge = parse(response.status === 302 || response.status >= 500 ? await client.follow(executor) : response);
  }
  throw new Error(`expected a finished login, got stage "${challenge.component}" after ${MAX_STAGES} stages`);
}

function responseTo(challenge: Challenge, { username, password }: Credentials): Record<string, string> {
  const errors = Object.values(challenge.response_errors ?? {}).flat();
  if (errors.length > 0 || challenge.error_message !== undefined) {
    throw new Error(
      `expected a login, got ${challenge.error_message ?? errors.map((error) => error.string).join(", ")}`,
    );
  }
  switch (challenge.component) {
    case "ak-stage-identification":
      return { uid_field: username };
    case "ak-stage-password":
      return { password };
    case "ak-stage-user-login":
      return { remember_me: "false" };
    default:
      throw new Error(`expected a stage that a script can answer, got "${challenge.component}"`);
  }
}

function parse(response: HttpResponse): Challenge {
  if (response.status !== 200) {
    throw new Error(`expected a challenge of the flow executor, got status ${response.status}`);
  }
  return JSON.parse(response.body) as Challenge;
}
