/** An error that the user can fix. Its message contains the problem and the fix; a command prints it without a stack trace. */
export class UserError extends Error {}
