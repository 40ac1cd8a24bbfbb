import { HTTPError, isTimeoutError } from "ky";

/**
 * The errors that a visitor can act on in different ways: `down` no response at all, `slow` none in time, `missing` 404, `busy` 429, `costly` the
 * database stopped the query, `refused` the API does not accept the request, `denied` the API may not read the relation, `broken` a part of the page is
 * missing or has an error, `failed` anything else.
 */
export type ErrorKind = "broken" | "down" | "slow" | "missing" | "busy" | "costly" | "refused" | "denied" | "failed";

export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly status: number | undefined;
  /** Code of PostgREST or Postgres, e.g. `57014`. */
  readonly code: string | undefined;

  constructor(kind: ErrorKind, message: string, status?: number, code?: string) {
    super(message);
    this.name = "ApiError";
    this.kind = kind;
    this.status = status;
    this.code = code;
  }
}

export const STATEMENT_TIMEOUT = "57014";
/** The type of a column has no such operator, or no order: PostgREST answers with 404. */
const UNDEFINED_FUNCTION = "42883";

/** Returns any error of a request as an ApiError, except that of an aborted one, which it returns unchanged. */
export function toApiError(error: unknown): unknown {
  if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) return error;
  if (isTimeoutError(error) || (error instanceof DOMException && error.name === "TimeoutError"))
    return new ApiError("slow", error.message);
  // A response that is no JSON.
  if (error instanceof SyntaxError) return new ApiError("failed", error.message);
  if (!(error instanceof HTTPError))
    return new ApiError("down", error instanceof Error ? error.message : String(error));
  const { status } = error.response;
  const { code, message } = errorOf(error.data);
  return new ApiError(kindOf(status, code), message ?? `HTTP ${status}`, status, code);
}

function kindOf(status: number, code: string | undefined): ErrorKind {
  if (code === STATEMENT_TIMEOUT) return "costly";
  if (code === UNDEFINED_FUNCTION) return "refused";
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "missing";
  if (status === 429) return "busy";
  if (status === 408 || status === 504) return "slow";
  if (status === 502 || status === 503) return "down";
  return status < 500 ? "refused" : "failed";
}

/** Returns the error of PostgREST in a response body that ky has already read. */
function errorOf(data: unknown): { code?: string; message?: string } {
  if (typeof data !== "object" || data === null) return {};
  const { code, message } = data as Record<string, unknown>;
  return {
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
