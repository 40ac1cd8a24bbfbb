/** Fields of a citation of a table. */
export interface Cited {
  /** Schema and relation. */
  readonly name: string;
  readonly title: string;
  readonly publishers: readonly string[];
  readonly licence: string;
  /** Address of the page, with its filters. */
  readonly url: string;
  /** Time at which the newest rows were ingested; null if it is unknown. */
  readonly ingested: Date | null;
  /** Time at which the rows were read. */
  readonly read: Date;
}

/** Returns an entry for BibTeX and BibLaTeX. `@misc` is the only type for data that both have. */
export function bibtex({ name, title, publishers, licence, url, ingested, read }: Cited): string {
  const fields = [
    ...(publishers.length > 0 ? [["author", publishers.map((each) => `{${escaped(each)}}`).join(" and ")]] : []),
    ["title", `{${escaped(title)}}`],
    ...(ingested ? [["year", String(ingested.getUTCFullYear())]] : []),
    ["note", escaped(`Table ${name}. ${licence}`)],
    ["url", url.replace(/[{}\\]/gu, encodeURIComponent)],
    ["urldate", dayOf(read)],
  ];
  const key = name.normalize("NFKD").replace(/[^A-Za-z0-9_.-]/gu, "");
  return `@misc{${key},\n${fields.map(([field, value]) => `  ${field} = {${value}},\n`).join("")}}\n`;
}

/** Returns the day in the time zone of the visitor, as in the citation as text: `2026-07-01`. */
function dayOf(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Characters that TeX would interpret (The LaTeX Companion, "Special characters"). */
function escaped(text: string): string {
  return text.replace(/[\\{}$&#%_~^]/gu, (character) => COMMANDS[character] ?? `\\${character}`);
}

const COMMANDS: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};
