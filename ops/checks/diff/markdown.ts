/** An access diff as part of a comment on a pull request. Pure. */
import type { StackDiff } from "./compare.ts";
import { type Effect, RANKS } from "./effects.ts";
import { countChanges, opensToPublic, titleOf, type Reported, reportedOf } from "./report.ts";
import { mark, render } from "./phrases.ts";

/** A piece of a comment; only rows are left out when it gets too long. */
export interface Block {
  readonly head: string;
  readonly rows: readonly Row[];
  readonly foot: string;
  /** What a row is, for saying how many are left out. */
  readonly unit: readonly [one: string, many: string];
}
export interface Row {
  readonly text: string;
  /** Rows of a higher one are left out first. */
  readonly rank: number;
}

const UNIT = ["statement", "statements"] as const;

/** What a comment contains where no stack changes. */
export const UNCHANGED: Block = {
  head: "### Access\n\nNo access changes.\n",
  rows: [],
  foot: "",
  unit: UNIT,
};

/**
 * The output of `npm run preview`. Its last lines are left out first, before any statement.
 * @param output as it was printed
 */
export function previewBlock(output: string): Block {
  const [open = "", ...rest] = fence(output).trimEnd().split("\n");
  const close = rest.pop() ?? "";
  const rows = rest.map((line) => ({ text: `${line}\n`, rank: RANKS.length }));
  const head = `\n### Preview\n\n<details><summary>What a deployment would change</summary>\n\n${open}\n`;
  return { head, rows, foot: `${close}\n\n</details>\n`, unit: ["line", "lines"] };
}

/** The blocks of one stack: what opens something first. */
export function stackBlocks({ stack, changes, problems, baseProblems }: StackDiff): Block[] {
  const title = `### Access: stack ${code(stack)}\n`;
  const fixed = (head: string): Block => ({ head, rows: [], foot: "", unit: UNIT });
  if (problems !== undefined) return [fixed(`${title}\nThe configuration is not valid:\n\n${fence(problems)}`)];
  const reported = reportedOf(changes);
  const warning = opensToPublic(changes) ? "\n> [!CAUTION]\n> **This opens something to the public.**\n" : "";
  const base =
    baseProblems === undefined ? "" : `\nThe base is not valid, so everything reads as new:\n\n${fence(baseProblems)}`;
  const summary = `${capital(countChanges(changes))}.\n`;
  const tables = RANKS.flatMap((effect) => table(effect, reported));
  return [fixed(`${title}${warning}${base}\n${summary}`), ...tables];
}

function table(effect: Effect, reported: readonly Reported[]): Block[] {
  const rows = reported.filter((each) => each.effect === effect);
  if (rows.length === 0) return [];
  const head = `\n**${titleOf(effect)}**\n\n| Where | What |\n| --- | --- |\n`;
  const rank = RANKS.indexOf(effect);
  return [{ head, rows: rows.map((row) => ({ text: rowText(row), rank })), foot: "", unit: UNIT }];
}

function rowText({ where, sentence }: Reported): string {
  const cell = (text: string) =>
    render(
      text,
      (name) => code(name, true),
      (plain) => plain,
    );
  return `| ${where.map((place) => cell(mark(place))).join("<br>")} | ${cell(sentence)} |\n`;
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

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
