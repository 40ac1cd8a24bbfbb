import { Agent, type Dispatcher, request } from "undici";
import { type ApiResponse, retryRequest } from "../apiRetry.ts";
import { lookup } from "../loopback.ts";

/** The server returns no more objects than this on one page (measured). */
const PAGE_SIZE = 100;
/** A real authentik on a machine with two busy cores took 20 s for one answer (measured). */
const TIMEOUT_MS = 60_000;

interface Page<T> {
  readonly results: readonly T[];
  /** `next` is 0 on the last page. */
  readonly pagination: { readonly next: number };
}

/** A response with another status than 200 and 201. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  /** Fields or filters that a 400 refuses. */
  readonly refused: readonly string[];

  /** @param body JSON of the response; only the keys are read, and only of a 400 */
  constructor(path: string, status: number, body = "") {
    super(`${path} answers ${status}`);
    this.status = status;
    this.refused = status === 400 ? Object.keys(jsonObject(body) ?? {}) : [];
  }
}

/** Codes of a certificate whose authority is not trusted (https://nodejs.org, TLS, X509 certificate error codes). */
const UNTRUSTED = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/** The server's certificate is of an authority that this machine does not trust. */
export class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  readonly reason: string;
  readonly hint =
    "trust its authority with NODE_EXTRA_CA_CERTS=FILE, and for the provider plugins with SSL_CERT_FILE=FILE or in the trust store of the " +
    "system (docs/commands.md)";

  /** @param message of Node.js, which appends an option of its own after a semicolon */
  constructor(message: string) {
    super();
    this.reason = message.split(";", 1)[0] ?? "";
    this.message = `${this.reason}; ${this.hint}`;
  }
}

function withTrustHint(error: unknown): never {
  const { code = "", message } = error as NodeJS.ErrnoException;
  throw UNTRUSTED.includes(code) ? new UntrustedError(message) : error;
}

/** authentik's REST API. Paths are those below `/api/v3`. No error contains the token, or any text of a response. */
export class AuthentikApi {
  readonly #url: string;
  readonly #token: string;
  readonly #dispatcher: Dispatcher;
  readonly #retry: typeof retryRequest;

  /**
   * @param url origin of the server, without `/api/v3`
   * @param retry default: {@link retryRequest}. {@link once} for work that is repeated itself
   */
  constructor(url: string, token: string, dispatcher: Dispatcher, retry = retryRequest) {
    this.#url = url;
    this.#token = token;
    this.#dispatcher = dispatcher;
    this.#retry = retry;
  }

  /**
   * Returns one object.
   * @throws StatusError for another status than 200 and 201, UntrustedError for a certificate, Error for a response that is no JSON object, or the JSON of
   *   a server that starts
   */
  one<T>(path: string): Promise<T> {
    return this.#json<T>("GET", path);
  }

  /**
   * Returns the objects of all pages of a list.
   * @param filters query parameters that this list declares. The server ignores others, and some ignore case: compare the results.
   * @throws StatusError (400) for a filter by an object that does not exist
   */
  async all<T>(path: string, filters: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1; page > 0;) {
      const query = new URLSearchParams({ ...filters, page: `${page}`, page_size: `${PAGE_SIZE}` });
      const { results, pagination } = await this.one<Partial<Page<T>>>(`${path}?${query.toString()}`);
      if (results === undefined || pagination === undefined) throw new Error(`no list in the response of ${path}`);
      found.push(...results);
      page = pagination.next > page ? pagination.next : 0;
    }
    return found;
  }

  /**
   * Returns whether the token's user may create objects in a list: the server describes the fields of a `POST` to no other user (measured,
   * docs/authentik.md).
   */
  async mayCreate(path: string): Promise<boolean> {
    const { actions } = await this.#json<{ actions?: { POST?: object } }>("OPTIONS", path);
    return actions?.POST !== undefined;
  }

  /** Creates an object in a list, or runs an action. @throws StatusError for another status than 200 and 201 */
  async post(path: string, body?: object): Promise<void> {
    await this.#answer("POST", path, body);
  }

  async #json<T>(method: "GET" | "OPTIONS", path: string): Promise<T> {
    const { body } = await this.#answer(method, path);
    const found = jsonObject(body);
    if (found === undefined) throw new Error(`${withoutQuery(path)} answers with something other than a JSON object`);
    if ("error" in found) throw new Error(`${withoutQuery(path)} answers with an error, as while the server starts`);
    return found as T;
  }

  async #answer(method: Dispatcher.HttpMethod, path: string, body?: object): Promise<ApiResponse> {
    const json = "application/json";
    const headers = { authorization: `Bearer ${this.#token}`, accept: json, "content-type": json };
    const url = `${this.#url}/api/v3${path}`;
    const options = { method, headers, dispatcher: this.#dispatcher, ...(body && { body: JSON.stringify(body) }) };
    const response = await this.#retry({ method, url }, async () => {
      const { statusCode, headers: received, body: content } = await request(url, options);
      return { status: statusCode, headers: received, body: await content.text() };
    }).catch(withTrustHint);
    if (response.status !== 200 && response.status !== 201)
      throw new StatusError(withoutQuery(path), response.status, response.body);
    return response;
  }
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0] ?? "";
}

/** Sends a request once. */
export const once: typeof retryRequest = (_request, send) => send();

/**
 * Runs work with the API.
 * @param url origin of the server, without `/api/v3`
 * @param retry see {@link AuthentikApi}
 */
export async function withAuthentik<T>(
  url: string,
  token: string,
  work: (api: AuthentikApi) => Promise<T>,
  retry = retryRequest,
): Promise<T> {
  const dispatcher = new Agent({ connect: { lookup }, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  try {
    return await work(new AuthentikApi(url, token, dispatcher, retry));
  } finally {
    await dispatcher.destroy();
  }
}
