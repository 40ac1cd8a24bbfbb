/** A part of a Markdown text, as far as changelogs use it. */
export type Block =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "item"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string };

/** The parts of a changelog below its title; all of it stays plain text. */
export function blocksOf(markdown: string): Block[] {
  return markdown.split(/\r?\n/u).flatMap((line): Block[] => {
    const text = line.trim();
    if (text === "" || text.startsWith("# ")) return [];
    if (/^#{2,6} /u.test(text)) return [{ kind: "heading", text: text.replace(/^#+ /u, "") }];
    if (/^[-*] /u.test(text)) return [{ kind: "item", text: text.slice(2) }];
    return [{ kind: "paragraph", text }];
  });
}
