import type { Fields } from "./objects.ts";

/** An answer that is not a success; the body is authentik's. */
export class ApiError extends Error {
  readonly status: 400 | 403 | 404 | 405;
  readonly body: Fields;
  constructor(status: 400 | 403 | 404 | 405, body: Fields) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

/** Returns the answer to a user without the permission. */
export function forbidden(): ApiError {
  return new ApiError(403, { detail: "You do not have permission to perform this action." });
}
