/** An error that the user can fix. Its message says what is wrong and what to do; a command prints it without a stack trace. */
export class UserError extends Error {}
