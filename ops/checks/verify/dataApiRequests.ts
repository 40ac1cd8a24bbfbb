/** Requests to the data API that are sent again while its limits or a pipeline refuse them. */
import { setTimeout } from "node:timers/promises";
import { type HttpClient, type HttpResponse, headerOf, type RequestOptions } from "../../clients/http.ts";
import { type Check, checkResponses, skip } from "../check.ts";

/** Sends a request for a path of the data API. */
export type Send = (path: string, options?: RequestOptions) => Promise<HttpResponse>;

/** Retries after a 429 response: the gateway's limits apply to the verification, too. */
const MAX_RETRIES = 10;
/** Seconds. A server, or a proxy before it, may ask for hours. */
const MAX_RETRY_AFTER = 10;
const LOCK_PAUSE_MS = 500;

/** A writer locks a relation, as TRUNCATE does until its transaction ends (docs/limits.md). */
export class LockedError extends Error {
  override readonly name = "LockedError";

  constructor(relations: string) {
    super(`locked by a writer: ${relations}`);
  }
}

/**
 * Returns a function that sends a request again after a 429 response, and for some seconds while a writer locks the relation.
 * @param maxLocked milliseconds, for all requests together: a load can lock many relations for minutes
 * @throws LockedError when it is locked for longer
 */
export function retrying(send: Send, maxLocked: number): Send {
  const sendLimited: Send = async (path, options) => {
    let response = await send(path, options);
    for (let attempt = 0; response.status === 429 && attempt < MAX_RETRIES; attempt += 1) {
      await setTimeout(retryDelay(headerOf(response, "retry-after")));
      response = await send(path, options);
    }
    return response;
  };
  let end: number | undefined;
  return async (path, options) => {
    for (;;) {
      const response = await sendLimited(path, options);
      if (response.status !== 500) return response;
      // The response to HEAD has no body.
      const error = options?.method === "HEAD" ? await sendLimited(path, { ...options, method: "GET" }) : response;
      if (error.status === 500 && !error.body.includes('"55P03"')) return response;
      end ??= Date.now() + maxLocked;
      if (Date.now() >= end) throw new LockedError(path);
      await setTimeout(LOCK_PAUSE_MS);
    }
  };
}

/** Returns milliseconds; one second if the header is none, or a date. */
export function retryDelay(retryAfter: string | undefined): number {
  return 1000 * Math.min(MAX_RETRY_AFTER, Number(retryAfter) || 1);
}

/** Runs one probe as {@link checkResponses} does; it is skipped if a relation is locked. */
export async function unlessLocked(
  client: Pick<HttpClient, "last">,
  name: string,
  probe: () => Promise<string>,
): Promise<Check> {
  const running = probe();
  const locked = await running.then(
    () => undefined,
    (error: unknown) => (error instanceof LockedError ? error : undefined),
  );
  if (locked) return skip(name, locked.message, "run npx gatehouse verify again after the pipeline has ended");
  return checkResponses(client, name, () => running);
}
