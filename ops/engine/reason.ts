/** The error in the output of a failed command of the engine. Pure. */
import { stripVTControlCharacters } from "node:util";
import { errorText } from "../../config/errors/errorText.ts";

/**
 * Returns the error lines of the CLI: the Automation API puts the complete output into its message.
 * @returns the message itself for any other error
 */
export function reasonOf(error: unknown): string {
  const message = stripVTControlCharacters(errorText(error));
  const lines = message.split("\n").map((line) => line.trimEnd());
  const begin = lines.findIndex((line) => /^( ?stderr: )?error: /.test(line));
  if (begin === -1) return message.trim();
  const [first = "", ...rest] = lines.slice(begin);
  const end = rest.findIndex((line) => !/^\s+\S/.test(line) || /^ ?(err\?|stdout|stderr):/.test(line));
  const more = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim());
  return [first.replace(/^( ?stderr: )?error: /, ""), ...more].join("\n");
}

/**
 * What the engine reports after another error: for work that it stopped, e.g. `failed to run remediation: context canceled`; for a
 * lookup whose error only the Terraform bridge logs, and a value that depends on it; and at the end of each failed run, e.g. `update failed`.
 */
const CONSEQUENCE = new RegExp(
  [
    /\b(context canceled|[Rr]esource monitor (shut down|is terminating)|client connection is closing)\b/,
    /\b(update|preview|destroy|refresh) canceled\b/,
    /^(\S+: )?(update|preview|destroy|refresh) failed$/,
    /error serializing property "[^"]*": *(\n +at |$)/,
    /^(Unhandled exception: )?Error:? *(\n +at |$)/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** The log of the Terraform bridge (measured): for a failed step, e.g. `wiki-provider: [ERROR] : HTTP Error '500 …`, the step has the error as well. */
const LOGGED = /^(?<resource>(?:.*?: )?)\[ERROR\] : (?<text>.*)$/s;

/** Returns the errors of a run, each once, without those that only follow from another one; all of them if there is no other. */
export function withoutConsequences(errors: readonly string[]): readonly string[] {
  const causes = errors.filter((text) => !CONSEQUENCE.test(text) && !isRepeated(text, errors));
  return (causes.length === 0 ? errors : causes).map((error) => error.replace(LOGGED, "$<resource>$<text>"));
}

function isRepeated(error: string, errors: readonly string[]): boolean {
  const { resource = "", text = "" } = LOGGED.exec(error)?.groups ?? {};
  return text !== "" && errors.some((other) => other !== error && other.startsWith(resource) && other.includes(text));
}

/** Returns whether authentik answered a request of the Terraform provider with 5xx. The change of such a request can be in effect. */
export function isServerError(error: string): boolean {
  return /(^|: )HTTP Error '5\d\d /.test(error);
}
