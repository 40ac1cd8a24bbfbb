import { type Document, LineCounter, parseDocument, visit } from "yaml";
import { ConfigError } from "./problems.ts";
import { isSection } from "./location.ts";
import { kindOf } from "./draft.ts";

const RESTORE = "save it as UTF-8 text, or restore it from git";
// What YAML allows of the category Cc (YAML 1.2.2, 5.1); a decoder writes U+FFFD for bytes that are not UTF-8.
const UNREADABLE = /[^\P{Cc}\t\n\r\u0085]|\uFFFD/u;

/**
 * Returns the `config` section of a stack file, which may be missing.
 * @param file its name, for messages
 * @throws ConfigError for an invalid stack file; it does not contain the text of the file, which can contain secrets
 */
export function parseConfig(text: string, file: string): Record<string, unknown> {
  const refuse = (path: string, message: string, hint: string): ConfigError =>
    new ConfigError(file, [{ path, message, hint }]);
  const lines = new LineCounter();
  const lineOf = (position: number): number => lines.linePos(position).line;

  const unreadable = UNREADABLE.exec(text);
  if (unreadable) {
    const line = text.slice(0, unreadable.index).split("\n").length;
    throw refuse(file, `is not UTF-8 text (line ${line})`, RESTORE);
  }
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [error] = document.errors;
  if (error) throw refuse(file, `is not YAML (${error.code}, line ${lineOf(error.pos[0])})`, "fix that line");
  visit(document, {
    Alias: (_, alias, path) => {
      const anchor = alias.resolve(document);
      if (anchor && !path.includes(anchor)) return;
      const message = `has an alias whose anchor is missing or contains it (line ${lineOf(alias.range?.[0] ?? 0)})`;
      throw refuse(file, message, "put a value that starts with * in quotes, or write the value instead of the alias");
    },
  });
  const content = toValues(document);
  if (content === undefined) {
    throw refuse(file, "has aliases that expand to too many values", "write the values instead of aliases (*name)");
  }
  if (content === null) throw refuse(file, "is empty", "write the settings below config, see docs/configuration.md");
  if (!isSection(content))
    throw refuse(file, `is ${kindOf(content)}`, "write a section config: with the settings below");
  if ("environment" in content) {
    const hint = "write the settings below config: no preview of access reads an environment of Pulumi ESC";
    throw refuse("environment", "adds configuration from elsewhere", hint);
  }
  const { config = {} } = content;
  if (config !== null && !isSection(config)) {
    throw refuse("config", `is ${kindOf(config)}`, "write one key for each setting, e.g. gatehouse:domains");
  }
  return config ?? {};
}

/** Returns undefined for an alias bomb, which the parser refuses. */
function toValues(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}
