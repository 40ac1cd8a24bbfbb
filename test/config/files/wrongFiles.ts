/** Returns lists that each repeat the one before: 10 to the power of `depth` values. */
function aliasBomb(depth: number): string {
  const lines = Array.from({ length: depth }, (_, level) => {
    const items = Array<string>(10).fill(level === 0 ? "x" : `*a${level - 1}`);
    return `  a${level}: &a${level} [${items.join(", ")}]\n`;
  });
  return `config:\n${lines.join("")}`;
}

const NOT_TEXT = "Save it as UTF-8 text, or restore it from git.";
const ALIAS = "has an alias whose anchor is missing or contains it";
const ALIAS_HINT = "Put a value that starts with * in quotes, or write the value instead of the alias.";

/** Files that are not stack files, with the problem that the message states after the name of the file. */
export const NOT_STACK_FILES: readonly { readonly name: string; readonly content: Buffer; readonly problem: string }[] =
  [
    {
      name: "an alias bomb",
      content: Buffer.from(aliasBomb(9)),
      problem: "has aliases that expand to too many values. Write the values instead of aliases (*name).",
    },
    {
      name: "an alias without an anchor",
      content: Buffer.from("config:\n  a: *b\n"),
      problem: `${ALIAS} (line 2). ${ALIAS_HINT}`,
    },
    {
      name: "an alias inside its own anchor",
      content: Buffer.from("config:\n  gatehouse:domains: &a\n    mesh: *a\n"),
      problem: `${ALIAS} (line 3). ${ALIAS_HINT}`,
    },
    {
      name: "an empty file",
      content: Buffer.from(""),
      problem: "is empty. Write the settings below config, see docs/configuration.md.",
    },
    {
      name: "a file with comments only",
      content: Buffer.from("# later\n"),
      problem: "is empty. Write the settings below config, see docs/configuration.md.",
    },
    {
      name: "a list",
      content: Buffer.from("- config\n"),
      problem: "is a list. Write a section config: with the settings below.",
    },
    {
      name: "plain text",
      content: Buffer.from("hello\n"),
      problem: "is text. Write a section config: with the settings below.",
    },
    {
      name: "a program",
      content: Buffer.from("\u007fELF\u0002\u0001\u0001\u0000", "latin1"),
      problem: `is not UTF-8 text (line 1). ${NOT_TEXT}`,
    },
    {
      name: "text in another encoding",
      content: Buffer.from("config:\n  a: \u00e6\n", "latin1"),
      problem: `is not UTF-8 text (line 2). ${NOT_TEXT}`,
    },
  ];
