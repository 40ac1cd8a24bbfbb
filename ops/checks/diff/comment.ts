/** A comment that fits: GitHub allows 65,536 characters, and a workflow can add a line. Pure. */
import { counted } from "../../text.ts";
import type { Block, Row } from "./markdown.ts";

export const COMMENT_LENGTH = 65_000;

/**
 * Joins blocks. If they are too long, whole rows are left out: the least important ones of all blocks, and those that are too long themselves.
 * @param restUrl link to the complete output; used when rows are left out
 * @param length maximum number of characters
 */
export function composeComment(blocks: readonly Block[], restUrl?: string, length = COMMENT_LENGTH): string {
  const required = ({ rank }: Row) => rank === undefined;
  const kept = new Set(blocks.flatMap(({ rows }) => rows.filter(required)));
  const missing = new Map(blocks.map((block) => [block, block.rows.length - block.rows.filter(required).length]));
  const optional = blocks
    .flatMap((block) => block.rows.flatMap((row) => (kept.has(row) ? [] : [{ block, row, rank: row.rank ?? 0 }])))
    .sort((one, other) => one.rank - other.rank);
  let total = render(blocks, kept, restUrl).length;
  for (const { block, row, rank } of optional) {
    const count = missing.get(block) ?? 0;
    const added = row.text.length + note(block, count - 1, restUrl).length - note(block, count, restUrl).length;
    if (total + added <= length) {
      kept.add(row);
      missing.set(block, count - 1);
      total += added;
    } else if (rank === Infinity) {
      // The lines after it would read as if they followed the line before it.
      break;
    }
  }
  return render(blocks, kept, restUrl);
}

function render(blocks: readonly Block[], kept: ReadonlySet<Row>, restUrl: string | undefined): string {
  const parts = blocks.map((block) => {
    const texts = block.rows.flatMap((row) => (kept.has(row) ? [row.text] : []));
    return texts.join("") + note(block, block.rows.length - texts.length, restUrl);
  });
  return parts.join("");
}

/** Returns the line about rows that are left out. */
function note({ unit: [one, many] }: Block, missing: number, restUrl: string | undefined): string {
  if (missing === 0) return "";
  const rest = restUrl === undefined ? "" : `: [all of them](${restUrl})`;
  return `\n*${counted(missing, `more ${one}`, `more ${many}`)}${rest}.*\n`;
}
