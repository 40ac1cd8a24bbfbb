import { CookieJar } from "tough-cookie";
import { Agent, type buildConnector, request } from "undici";
import { lookup } from "../../infra/loopback.ts";

export interface Answer {
  readonly url: string;
  readonly status: number;
  /** Names in lower case, values decoded as UTF-8; a header that came several times is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface Hop {
  /** Origin and path: queries contain tokens. */
  readonly url: string;
  readonly status: number;
}

export class RedirectError extends Error {
  override readonly name = "RedirectError";
  readonly isLoop: boolean;

  constructor(url: string, last: string, isLoop: boolean) {
    super(`${url} ${isLoop ? "redirects in a loop" : `redirected more than ${MAX_REDIRECTS} times`}, last to ${last}`);
    this.isLoop = isLoop;
  }
}

/** A client that behaves like one browser profile: it keeps cookies, and only {@link HttpClient.follow} follows redirects. */
export interface HttpClient {
  /**
   * Sends one request; after a 5xx answer, once more. A worker of authentik restarts after some 1,000 requests and fails those in flight.
   * The request must have the same effect when it is repeated.
   */
  send(url: string, options?: RequestOptions): Promise<Answer>;
  /** GET, then every redirect, at most 15. @throws RedirectError when there are more, and for a loop */
  follow(url: string): Promise<Answer>;
  last(): Answer | undefined;
  readonly hops: readonly Hop[];
  readonly cookies: CookieJar;
  close(): Promise<void>;
}

/** A real authentik on a machine with two busy cores took 20 s for one answer (measured). */
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 15;
/** A request that returns to an address more often is in a loop. */
const MAX_VISITS = 3;

/**
 * A client without a session.
 * @param connect how it connects; default: `*.localhost` resolves to loopback, also where the system's resolver has no such name
 * @param timeout until the headers, and between two parts of the body, in milliseconds
 */
export function createClient(connect: buildConnector.BuildOptions = { lookup }, timeout = TIMEOUT_MS): HttpClient {
  // Cookies of *.localhost hosts are host-only, so the public suffix list does not apply to them.
  const cookies = new CookieJar(undefined, { rejectPublicSuffixes: false, allowSpecialUseDomain: true });
  const dispatcher = new Agent({ connect, headersTimeout: timeout, bodyTimeout: timeout });

  const hops: Hop[] = [];
  let last: Answer | undefined;
  const send = async (url: string, options: RequestOptions = {}): Promise<Answer> => {
    const { method = "GET", headers, body } = options;
    const cookie = await cookies.getCookieString(url);
    const sent = { ...(cookie === "" ? {} : { cookie }), ...headers };
    const attempt = (): ReturnType<typeof request> =>
      request(url, { dispatcher, method, headers: sent, body: body ?? null });
    let answer = await attempt();
    if (answer.statusCode >= 500) {
      await answer.body.dump();
      answer = await attempt();
    }
    // Not decoded: undici sends Latin-1, too, so the cookie goes back byte for byte.
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      await cookies.setCookie(line, url, { ignoreError: true });
    }
    const { statusCode: status, headers: raw } = answer;
    last = { url, status, headers: decoded(raw), body: await answer.body.text() };
    hops.push({ url: withoutQuery(url), status });
    return last;
  };
  const follow = async (url: string): Promise<Answer> => {
    // authentik's flow executor redirects to its own address after each stage, so an address counts again only after another one.
    const visits: string[] = [];
    let next = url;
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const address = withoutQuery(next);
      if (address !== visits.at(-1)) visits.push(address);
      if (visits.filter((visit) => visit === address).length > MAX_VISITS) throw new RedirectError(url, address, true);
      const answer = await send(next);
      const location = headerOf(answer, "location");
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      next = new URL(location, answer.url).href;
    }
    throw new RedirectError(url, withoutQuery(next), withoutQuery(next) === visits.at(-1));
  };
  return { send, follow, last: () => last, hops, cookies, close: () => dispatcher.destroy() };
}

/** Decodes values that undici read as Latin-1 and that are UTF-8, as those of identity headers are. */
function decoded(headers: Answer["headers"]): Answer["headers"] {
  const decode = (value: string): string => {
    const text = Buffer.from(value, "latin1").toString();
    return text.includes("\uFFFD") ? value : text;
  };
  const entries = Object.entries(headers).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(decode) : value && decode(value)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Runs with a new client, like a browser with an empty profile, and closes it afterwards.
 * @param options those of {@link createClient}
 */
export async function withClient<T>(
  work: (client: HttpClient) => Promise<T>,
  ...options: Parameters<typeof createClient>
): Promise<T> {
  const client = createClient(...options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A header's value as one string, joined with commas where it came several times. */
export function headerOf(answer: Pick<Answer, "headers">, name: string): string | undefined {
  const value = answer.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Returns origin and path of an address; anything else is returned unchanged. */
function withoutQuery(address: string): string {
  const url = URL.parse(address);
  return url ? url.origin + url.pathname : address;
}
