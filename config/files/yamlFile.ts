/** YAML of a stack or project file, of which the engine's parser (Go, YAML 1.1) and this one (YAML 1.2) read the same values. */
import { type Document, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml";
import { ConfigError } from "../errors/problems.ts";

const RESTORE = "save it as UTF-8 text, or restore it from git";
// What YAML allows of the category Cc (YAML 1.2.2, 5.1); a decoder writes U+FFFD for bytes that are not UTF-8.
const UNREADABLE = /[^\P{Cc}\t\n\r\u0085]|\uFFFD/u;
/** Numbers that YAML 1.1 reads in another base, or without the underscores: `017` is 15, `1_000` is 1000. */
const AMBIGUOUS_NUMBER = /^[-+]?(0[0-9_]+|0[box][0-9a-f_]+|[0-9]+_[0-9_]*)$/i;

/**
 * Returns the values of a file.
 * @param file its name, for messages
 * @throws ConfigError for a text that is no YAML, or that the engine reads otherwise; it does not contain the text, which can contain secrets
 */
export function parseYamlFile(text: string, file: string): unknown {
  const refuse = (message: string, hint: string): ConfigError => new ConfigError(file, [{ path: file, message, hint }]);
  const lines = new LineCounter();
  const lineOf = (position = 0): number => lines.linePos(position).line;

  const unreadable = UNREADABLE.exec(text);
  if (unreadable) {
    const line = text.slice(0, unreadable.index).split("\n").length;
    throw refuse(`is not UTF-8 text (line ${line})`, RESTORE);
  }
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [error] = document.errors;
  if (error) throw refuse(`is not YAML (${error.code}, line ${lineOf(error.pos[0])})`, "fix that line");
  visit(document, {
    Alias: (_, alias, path) => {
      const anchor = alias.resolve(document);
      if (anchor && !path.includes(anchor)) return;
      const message = `has an alias whose anchor is missing or contains it (line ${lineOf(alias.range?.[0])})`;
      throw refuse(message, "put a value that starts with * in quotes, or write the value instead of the alias");
    },
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== "<<") return;
      throw refuse(`has a merge key << (line ${lineOf(key.range?.[0])})`, "write the values instead of the merge key");
    },
    Node: (_, node: Node) => {
      if (node.tag !== undefined) {
        throw refuse(`has a tag (line ${lineOf(node.range?.[0])})`, "remove the tag; put a text in quotes");
      }
      if (!isScalar(node) || node.type !== "PLAIN" || !AMBIGUOUS_NUMBER.test(node.source ?? "")) return;
      const message = `has a number that YAML 1.1 and 1.2 read as different ones (line ${lineOf(node.range?.[0])})`;
      throw refuse(message, "write it in decimal digits without leading zeros, or put it in quotes");
    },
  });
  const content = toValues(document);
  if (content !== undefined) return content;
  throw refuse("has aliases that expand to too many values", "write the values instead of aliases (*name)");
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
