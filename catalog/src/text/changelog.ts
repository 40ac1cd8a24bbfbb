/** A block of Markdown, of the kinds that a changelog contains. */
export type Block =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "item"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string };

/** Returns the blocks of a changelog below its title, as plain text. */
export function blocksOf(markdown: string): Block[] {
  return markdown.split(/\r?\n/u).flatMap((line): Block[] => {
    const text = line.trim();
    if (text === "" || text.startsWith("# ")) return [];
    if (/^#{2,6} /u.test(text)) return [{ kind: "heading", text: text.replace(/^#+ /u, "") }];
    if (/^[-*] /u.test(text)) return [{ kind: "item", text: text.slice(2) }];
    return [{ kind: "paragraph", text }];
  });
}
