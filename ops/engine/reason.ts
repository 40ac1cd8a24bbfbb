/** The error in the output of a failed command of the engine. Pure. */
import { stripVTControlCharacters } from "node:util";
import { errorText } from "../../config/errorText.ts";

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
