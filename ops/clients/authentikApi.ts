import { retryRequest } from "../../infra/apiRetry.ts";
import type { StackContext } from "../context/context.ts";
import { headerOf, type HttpClient } from "./http.ts";

/** The server returns no more objects than this on one page. */
const PAGE_SIZE = 100;

interface Page<T> {
  readonly results: readonly T[];
  /** `next` is 0 on the last page. */
  readonly pagination: { readonly next: number };
}

/** Returns the origin of a stack's authentik; undefined if the stack has none. */
export function authentikOrigin({ settings, plan }: Pick<StackContext, "settings" | "plan">): string | undefined {
  return settings.identityProvider.apiUrl ?? plan.identityProviderUrl;
}

/** An answer with another status than 200. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;

  constructor(path: string, status: number) {
    super(`${path} answers ${status}`);
    this.status = status;
  }
}

/** authentik's REST API, for reading. Requests are retried, see `retryRequest`. */
export class AuthentikApi {
  readonly #client: HttpClient;
  readonly #url: string;
  readonly #token: string;

  /** @param url origin of the server, without `/api/v3` */
  constructor(client: HttpClient, url: string, token: string) {
    this.#client = client;
    this.#url = url;
    this.#token = token;
  }

  /**
   * Returns one object.
   * @param path below `/api/v3`
   * @throws StatusError when the server does not answer 200, Error when it does not answer with JSON
   */
  one<T>(path: string): Promise<T> {
    return this.#request<T>("GET", path);
  }

  /**
   * Returns whether the token's user may create objects in a list: the server describes the fields of a `POST` to no other user (measured,
   * docs/authentik.md).
   */
  async mayCreate(path: string): Promise<boolean> {
    const { actions } = await this.#request<{ actions?: { POST?: object } }>("OPTIONS", path);
    return actions?.POST !== undefined;
  }

  async #request<T>(method: "GET" | "OPTIONS", path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.#token}`, accept: "application/json" };
    const request = { method, url: `${this.#url}/api/v3${path}` };
    const answer = await retryRequest(request, () => this.#client.send(request.url, { method, headers, once: true }));
    if (answer.status !== 200) throw new StatusError(path, answer.status);
    if (!headerOf(answer, "content-type")?.includes("json"))
      throw new Error(`${path} answers with something other than JSON`);
    const found = JSON.parse(answer.body) as T & { error?: string };
    if (found.error !== undefined) throw new Error("it is starting");
    return found;
  }

  /**
   * Returns the objects of all pages of a list.
   * @param filters query parameters that this list declares. The server ignores others, and some ignore case: compare the results.
   */
  async all<T>(path: string, filters: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1; page > 0;) {
      const query = new URLSearchParams({ ...filters, page: `${page}`, page_size: `${PAGE_SIZE}` });
      const { results, pagination } = await this.one<Page<T>>(`${path}?${query.toString()}`);
      found.push(...results);
      page = pagination.next > page ? pagination.next : 0;
    }
    return found;
  }
}
