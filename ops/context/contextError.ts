import { UserError } from "../../config/userError.ts";

/** A context that cannot be used; the message says why and what to do. */
export class ContextError extends UserError {
  override readonly name = "ContextError";
}
