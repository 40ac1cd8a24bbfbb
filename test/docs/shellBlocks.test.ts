/** Commands that users copy also run in zsh, which has no comments in an interactive shell and stops at a pattern without a match. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

/** Returns the lines of the `sh` blocks with a comment or an unquoted pattern, without quoted text and here-documents. */
function unportable(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .replaceAll(/(<<'?(\w+)'?.*\n)[^]*?^ *\2$/gm, "$1")
      .replaceAll(/'[^']*'|"(?:\\[^]|[^"\\])*"/g, "''")
      .split("\n")
      .filter((line) => /(^|\s)#|[[*]|(?<!\$)\?/.test(line)),
  );
}

test.each(pages)("%s has no comment and no unquoted pattern in a block of commands", (page) => {
  expect(unportable(readFileSync(join(root, page), "utf8"))).toEqual([]);
});

describe("control", () => {
  test.each([
    "npm start # a comment",
    "# a comment",
    "echo a # it's",
    "get .containers[0]",
    "curl host/?a=1",
    "ls *.md",
  ])("finds %s", (line) => {
    expect(unportable(`\`\`\`sh\n${line}\n\`\`\`\n`)).toHaveLength(1);
  });

  test.each(["curl 'host/?a=1#b'", "echo $?", "jq '.[]\n| .a[0]'", "cat <<'END'\n[a] # b\nEND"])(
    "accepts %s",
    (line) => {
      expect(unportable(`  \`\`\`sh\n${line}\n  \`\`\`\n`)).toEqual([]);
    },
  );
});
