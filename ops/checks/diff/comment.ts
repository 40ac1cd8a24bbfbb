/** A comment that fits: GitHub takes 65,536 characters. Pure. */
import type { Block, Row } from "./markdown.ts";

export const COMMENT_LENGTH = 65_536;

/**
 * Puts blocks together. When they are too long, rows are left out whole, the least important ones of all blocks first.
 * @param restUrl link to the complete output; used when rows are left out
 * @param length characters that it may have at the most
 */
export function composeComment(blocks: readonly Block[], restUrl?: string, length = COMMENT_LENGTH): string {
  const frame = blocks.flatMap(({ head, foot }) => [head, foot]).join("").length;
  const rows = blocks.flatMap((block) => block.rows);
  const all = rows.reduce((sum, { text }) => sum + text.length, 0);
  if (frame + all <= length) return render(blocks, new Set(rows), undefined);
  const notes = blocks.reduce((sum, block) => sum + noteOf(block, block.rows.length, restUrl).length, 0);
  return render(blocks, kept(rows, length - frame - notes), restUrl);
}

/** The most important rows that have room, in their order: after the first that has none, nothing less important follows. */
function kept(rows: readonly Row[], room: number): Set<Row> {
  const chosen = new Set<Row>();
  let left = room;
  for (const row of rows.toSorted((one, other) => one.rank - other.rank)) {
    left -= row.text.length;
    if (left < 0) break;
    chosen.add(row);
  }
  return chosen;
}

function render(blocks: readonly Block[], chosen: ReadonlySet<Row>, restUrl: string | undefined): string {
  const parts = blocks.map((block) => {
    const rows = block.rows.filter((row) => chosen.has(row));
    const missing = block.rows.length - rows.length;
    const note = missing === 0 ? "" : noteOf(block, missing, restUrl);
    return block.head + rows.map(({ text }) => text).join("") + block.foot + note;
  });
  return parts.join("");
}

function noteOf({ unit: [one, many] }: Block, missing: number, restUrl: string | undefined): string {
  const rest = restUrl === undefined ? "" : `: [all of them](${restUrl})`;
  return `\n*${missing} more ${missing === 1 ? one : many}${rest}.*\n`;
}
