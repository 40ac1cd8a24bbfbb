import type { Readable } from "node:stream";
import { CookieJar } from "tough-cookie";
import { Agent, type buildConnector, request } from "undici";
import { lookup } from "../../infra/loopback.ts";

export interface HttpResponse {
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
  /** Not repeated after a 5xx: the server can have processed it before it failed, and a repetition would have another effect. */
  readonly once?: boolean;
  /**
   * Reads only the beginning of the response's body: for a request to any application, whose response may be long or endless, e.g. server-sent events.
   */
  readonly excerpt?: boolean;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

export interface Hop {
  /** Origin and path: queries contain tokens. */
  readonly url: string;
  readonly status: number;
}

type Exchange = Pick<HttpResponse, "status" | "headers" | "body">;

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
   * Sends one request; after a 5xx response, once more. A worker of authentik restarts after some 1,000 requests and fails those in flight.
   * The request must have the same effect when it is repeated.
   */
  send(url: string, options?: RequestOptions): Promise<HttpResponse>;
  /** GET, then every redirect, at most 15. @throws RedirectError when there are more, and for a loop */
  follow(url: string): Promise<HttpResponse>;
  last(): HttpResponse | undefined;
  readonly hops: readonly Hop[];
  readonly cookies: CookieJar;
  close(): Promise<void>;
}

/** A real authentik on a machine with two busy cores took 20 s for one answer (measured). */
const TIMEOUT_MS = 60_000;
/** Times the timeout: the maximum duration of a request with its response. */
const TOTAL_FACTOR = 1.5;
/** Bytes, and the part of the timeout after the headers: 10 s. */
const EXCERPT = { size: 1_000_000, factor: 1 / 6 };
const MAX_REDIRECTS = 15;
/** A request that returns to an address more often is in a loop. */
const MAX_VISITS = 3;

/**
 * Creates a client without a session.
 * @param connect how it connects; default: `*.localhost` resolves to loopback, also where the system's resolver has no such name
 * @param timeout until the headers, and between two parts of the body, in milliseconds; a response that is not complete after one and a half times as
 *   long is an error
 */
export function createClient(
  connect: buildConnector.BuildOptions | buildConnector.connector = { lookup },
  timeout = TIMEOUT_MS,
): HttpClient {
  // Cookies of *.localhost hosts are host-only, so the public suffix list does not apply to them.
  const cookies = new CookieJar(undefined, { rejectPublicSuffixes: false, allowSpecialUseDomain: true });
  const dispatcher = new Agent({ connect, headersTimeout: timeout, bodyTimeout: timeout });

  const hops: Hop[] = [];
  let last: HttpResponse | undefined;
  const exchange = async (
    url: string,
    sent: Readonly<Record<string, string | string[]>>,
    { method = "GET", body, excerpt = false, signal }: RequestOptions,
  ): Promise<Exchange> => {
    const limit = AbortSignal.timeout(timeout * TOTAL_FACTOR);
    try {
      const signals = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
      const response = await request(url, { dispatcher, method, headers: sent, body: body ?? null, signal: signals });
      const { statusCode: status, headers } = response;
      return {
        status,
        headers,
        body: await (excerpt ? excerptOf(response.body, timeout * EXCERPT.factor) : response.body.text()),
      };
    } catch (error) {
      if (signal?.aborted) throw new Error("interrupted", { cause: error });
      const seconds = (timeout * TOTAL_FACTOR) / 1000;
      if (limit.aborted) throw new Error(`the response is not complete after ${seconds} s`, { cause: error });
      throw error;
    }
  };
  const send = async (url: string, options: RequestOptions = {}): Promise<HttpResponse> => {
    const cookie = await cookies.getCookieString(url);
    const sent = { ...(cookie === "" ? {} : { cookie }), ...options.headers };
    let response = await exchange(url, sent, options);
    if (response.status >= 500 && !options.once) response = await exchange(url, sent, options);
    // Not decoded: undici sends Latin-1, too, so the cookie goes back byte for byte.
    for (const line of [response.headers["set-cookie"] ?? []].flat()) {
      await cookies.setCookie(line, url, { ignoreError: true });
    }
    last = { ...response, url, headers: decoded(response.headers) };
    hops.push({ url: originAndPath(url), status: response.status });
    return last;
  };
  const follow = async (url: string): Promise<HttpResponse> => {
    // authentik's flow executor redirects to its own address after each stage, so an address counts again only after another one.
    const visits: string[] = [];
    let next = url;
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const address = originAndPath(next);
      if (address !== visits.at(-1)) visits.push(address);
      if (visits.filter((visit) => visit === address).length > MAX_VISITS) throw new RedirectError(url, address, true);
      const response = await send(next);
      const location = headerOf(response, "location");
      if (response.status < 300 || response.status >= 400 || location === undefined) return response;
      next = new URL(location, response.url).href;
    }
    throw new RedirectError(url, originAndPath(next), originAndPath(next) === visits.at(-1));
  };
  return { send, follow, last: () => last, hops, cookies, close: () => dispatcher.destroy() };
}

/** Returns the beginning of a body, and ends its connection if there is more. @param time in milliseconds */
async function excerptOf(body: Readable, time: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A stream that is destroyed emits an error, which nothing else receives.
  body.on("error", () => undefined);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    body.destroy();
  }, time);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= EXCERPT.size) break;
    }
  } catch (error) {
    if (!isLate) throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8", 0, EXCERPT.size);
}

/** Decodes values that undici read as Latin-1 and that are UTF-8, as those of identity headers are. */
function decoded(headers: HttpResponse["headers"]): HttpResponse["headers"] {
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

/** Returns a header's value as one string, joined with commas where it came several times. */
export function headerOf(response: Pick<HttpResponse, "headers">, name: string): string | undefined {
  const value = response.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Returns origin and path of an address; anything else is returned unchanged. */
function originAndPath(address: string): string {
  const url = URL.parse(address);
  return url ? url.origin + url.pathname : address;
}
