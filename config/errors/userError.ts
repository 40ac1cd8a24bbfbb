/** An error that the user can fix. Its message contains the problem and the hint; a command prints it without a stack trace. */
export class UserError extends Error {
  /** What is wrong. */
  readonly problem: string;
  /** What to do; undefined if there is nothing to do, or if `problem` states it. */
  readonly hint: string | undefined;

  constructor(problem: string, hint?: string, options?: ErrorOptions) {
    super(hint === undefined ? problem : withHint(problem, hint), options);
    this.problem = problem;
    this.hint = hint;
  }
}

/** Returns `<message>. <Hint>.` A hint that ends with a command gets no full stop, so that the command can be copied. */
export function withHint(message: string, hint: string): string {
  const end = /[.?]$|\brun: /.test(hint) ? "" : ".";
  return `${message}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}${end}`;
}
