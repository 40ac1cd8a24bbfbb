import { Agent, request } from "undici";
import { retryRequest } from "../apiRetry.ts";
import { lookup } from "../loopback.ts";

/** The API's largest page (measured). */
export const PAGE = "page_size=100";

/** Sends a request to a path of authentik's API and returns the response. @throws Error for any other status than 200 and 201 */
export type Send = (path: string, method?: "GET" | "POST", body?: object) => Promise<string>;

/**
 * Runs work with the API that no resource of the provider covers.
 * @param url origin of the server, without `/api/v3`
 * @param token never part of an error
 * @param retry default: {@link retryRequest}. {@link once} for work that is repeated itself
 */
export async function withApi<T>(
  url: string,
  token: string,
  work: (send: Send) => Promise<T>,
  retry: typeof retryRequest = retryRequest,
): Promise<T> {
  const dispatcher = new Agent({ connect: { lookup, timeout: 5_000 }, headersTimeout: 30_000 });
  try {
    return await work((path, method = "GET", body) =>
      answerTo(`${url}/api/v3${path}`, { method, body, token, dispatcher, retry }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

/** Sends a request once. */
export const once: typeof retryRequest = (_request, send) => send();

export async function results<T>(send: Send, path: string): Promise<T[]> {
  const { results: found } = await json<{ results?: T[] }>(send, path);
  if (found === undefined) throw new Error(`no list in the response of ${path}`);
  return found;
}

/** The response as JSON. @throws Error without any of the response's text */
export async function json<T>(send: Send, path: string): Promise<T> {
  const text = await send(path);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(`the response of ${path} is not JSON`);
  }
}

interface Call {
  readonly method: "GET" | "POST";
  readonly body: object | undefined;
  readonly token: string;
  readonly dispatcher: Agent;
  readonly retry: typeof retryRequest;
}

async function answerTo(url: string, { method, body, token, dispatcher, retry }: Call): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json", "content-type": "application/json" };
  const { status, body: text } = await retry({ method, url }, async () => {
    const answer = await request(url, { method, headers, dispatcher, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  });
  if (status !== 200 && status !== 201) throw new Error(`status ${status} from ${new URL(url).pathname}`);
  return text;
}
