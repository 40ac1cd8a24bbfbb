/** A context that cannot be used; the message says why and what to do. */
export class ContextError extends Error {
  override readonly name = "ContextError";
}
