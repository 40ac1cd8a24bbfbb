import { UserError } from "../../config/userError.ts";

/** A context that cannot be used. The message contains the reason and the fix. */
export class ContextError extends UserError {
  override readonly name = "ContextError";
}
