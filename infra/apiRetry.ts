import { setTimeout as wait } from "node:timers/promises";
import pRetry from "p-retry";

/** Number of times that one request to the API of Kubernetes or authentik is repeated. */
export const MAX_API_RETRIES = 6;
/** Time after the start of the first attempt in which another attempt may start, in milliseconds. */
export const MAX_API_RETRY_MS = 30_000;

/** Delay before the first retry in milliseconds; it doubles each time. A `Retry-After` header adds to it. */
const BACK_OFF_MS = 100;
const RESET_CODES = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * Sends a request to the API of Kubernetes or authentik, and again when the server cannot process it now: at most `MAX_API_RETRIES` times within
 * `MAX_API_RETRY_MS`, never before the time in `Retry-After`.
 *
 * Retried are the statuses 429 and 5xx, and connections that are reset. A `POST` that was reset or failed with 5xx may have created its
 * object, so it is retried only after 429, and after 503 with `Retry-After`, which the server sends before it processes a request.
 * A `POST` that creates nothing (`dryRun=All`, SelfSubjectAccessReview) is retried like a read. `PATCH`, `PUT` and `DELETE` have the same
 * effect when they are repeated; a caller that deletes must accept 404. A refused connection is not retried, because nothing listens.
 *
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 * @returns the last response, whatever its status
 * @throws what the last attempt threw
 */
export async function retryRequest(request: ApiRequest, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const end = Date.now() + MAX_API_RETRY_MS;
  const repeatable = isRepeatable(request);
  let pause = 0;
  const attempt = async (): Promise<ApiResponse> => {
    await wait(pause);
    pause = 0;
    const response = await send();
    if (!isRefusal(response, repeatable)) return response;
    pause = retryAfterOf(response) ?? 0;
    throw new RefusedError(response);
  };
  return pRetry(attempt, {
    retries: MAX_API_RETRIES,
    minTimeout: BACK_OFF_MS,
    shouldRetry: ({ error, retryDelay }) =>
      Date.now() + retryDelay + pause < end && (error instanceof RefusedError || (repeatable && isReset(error))),
  }).catch((error: unknown) => {
    if (error instanceof RefusedError) return error.response;
    throw error;
  });
}

class RefusedError extends Error {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    super(`status ${response.status}`);
    this.response = response;
  }
}

function isRepeatable({ method, url }: ApiRequest): boolean {
  return method !== "POST" || /\/selfsubjectaccessreviews$|[?&]dryRun=All\b/.test(url);
}

function isRefusal(response: ApiResponse, repeatable: boolean): boolean {
  const { status } = response;
  if (status === 429 || (repeatable && status >= 500)) return true;
  return status === 503 && retryAfterOf(response) !== undefined;
}

/** Returns milliseconds; the header has seconds or a date. */
function retryAfterOf({ headers }: ApiResponse): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.max(milliseconds || 0, 0);
}

function isReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return RESET_CODES.includes((error as NodeJS.ErrnoException).code ?? "") || isReset(error.cause);
}
