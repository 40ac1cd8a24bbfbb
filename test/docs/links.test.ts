/** Links, commands and paths in every page exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const read = (page: string): string => readFileSync(join(root, page), "utf8");
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = read(page).replaceAll(/^```[^]*?^```/gm, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(pages)("%s links to existing files and headings", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test("links each page of docs/ from another page", () => {
  const linked = new Set(
    pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, link = ""]) => normalize(join(dirname(page), link))),
    ),
  );
  expect(pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md" && !linked.has(page))).toEqual(
    [],
  );
});

test("names only scripts of package.json", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name = ""]) => name),
  );
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
});

test("names only existing files and folders in code spans", () => {
  const named = pages
    .filter((page) => page !== "CHANGELOG.md")
    .flatMap((page) =>
      [...read(page).matchAll(/`((?:config|infra|ops|local|catalog|policy|test|bench|contract)\/[\w./-]*)`/g)].map(
        ([, path = ""]) => `${page}: ${path}`,
      ),
    );
  expect(named.filter((name) => !existsSync(join(root, name.split(": ")[1] ?? "")))).toEqual([]);
});
