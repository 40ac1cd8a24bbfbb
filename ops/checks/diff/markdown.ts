/** An access diff as part of a comment on a pull request. Pure. */
import type { StackDiff } from "./compare.ts";
import { mark, render, shorten } from "./phrases.ts";
import { countReported, opensToPublic, REFUSED, type ReportedEntry, reportedOf } from "./report.ts";

export interface Block {
  readonly rows: readonly Row[];
  /** What a row is, for the note about the rows that are left out. */
  readonly unit: readonly [one: string, many: string];
}
export interface Row {
  readonly text: string;
  /** Rows of a higher one are left out first; undefined = never left out. */
  readonly rank?: number;
}

function statementBlock(...rows: readonly Row[]): Block {
  return { rows, unit: ["statement", "statements"] };
}

export const UNCHANGED = statementBlock({ text: "### Access\n\nNo access changes.\n" });

/**
 * Returns a block with the output of `npx gatehouse preview`. Its last lines are left out first, before any statement.
 * @param output as it was printed
 */
export function previewBlock(output: string): Block {
  const [open = "", ...rest] = fence(output).trimEnd().split("\n");
  const close = rest.pop() ?? "";
  const title = `\n### Preview\n\n<details><summary>What a deployment would change</summary>\n\n${open}\n`;
  const rows = rest.map((line) => ({ text: `${line}\n`, rank: Infinity }));
  return { rows: [{ text: title }, ...rows, { text: `${close}\n\n</details>\n` }], unit: ["line", "lines"] };
}

/**
 * Returns the blocks of one stack: what opens something first.
 * @param restUrl link to the complete output, for the names that a long list leaves out
 */
export function stackBlocks({ stack, changes, refused, problems, baseProblems }: StackDiff, restUrl?: string): Block[] {
  const title = `### Access: stack ${code(stack)}\n`;
  if (problems !== undefined) {
    return [statementBlock({ text: `${title}\nThe configuration is not valid:\n\n${fence(problems)}` })];
  }
  const reported = reportedOf(changes);
  const warning = opensToPublic(changes) ? "\n> [!CAUTION]\n> **This opens something to the public.**\n" : "";
  const base =
    baseProblems === undefined ? "" : `\nThe base is not valid, so everything reads as new:\n\n${fence(baseProblems)}`;
  const tables = reported.map(({ title, entries, rank }) => {
    const head = { text: `\n**${title}**\n\n| Where | What |\n| --- | --- |\n` };
    return statementBlock(head, ...entries.map((entry) => ({ text: rowText(entry, restUrl), rank })));
  });
  const text = `${title}${warning}${base}\n${countReported(reported)}.\n`;
  const names = refused.map((line) => ({ text: `- ${code(line)}\n`, rank: 0 }));
  const refusal = names.length === 0 ? [] : [statementBlock({ text: `\n**${REFUSED}**\n\n` }, ...names)];
  return [statementBlock({ text }), ...refusal, ...tables];
}

function rowText({ where, sentence }: ReportedEntry, restUrl: string | undefined): string {
  const cell = (text: string) => render(text, (name) => code(name, true));
  const more = (count: number) => (restUrl === undefined ? `${count} more` : `[${count} more](${restUrl})`);
  return `| ${where.map((subject) => cell(mark(subject))).join("<br>")} | ${cell(shorten(sentence, more))} |\n`;
}

/** Returns an untrusted name as code: nothing in it is markup, a link or a mention. */
export function code(name: string, inTable = false): string {
  const runs = (name.match(/`+/g) ?? []).map((run) => run.length);
  const quote = "`".repeat(Math.max(0, ...runs) + 1);
  const space = name === "" || name.startsWith("`") || name.endsWith("`") ? " " : "";
  return quote + space + (inTable ? name.replaceAll("|", "\\|") : name) + space + quote;
}

/** Returns untrusted text as a code block; invisible and bidirectional control characters become question marks. */
export function fence(written: string): string {
  const text = written.replaceAll(/\p{Cf}/gu, "?");
  const runs = (text.match(/`{3,}/g) ?? []).map((run) => run.length);
  const quote = "`".repeat(Math.max(2, ...runs) + 1);
  return `${quote}text\n${text.trimEnd()}\n${quote}\n`;
}
