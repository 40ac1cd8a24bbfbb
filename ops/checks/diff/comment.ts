/** A comment that fits: GitHub allows 65,536 characters, and a workflow can add a line. Pure. */
import { counted } from "../../text.ts";
import type { Block, Row } from "./markdown.ts";

export const COMMENT_LENGTH = 65_000;

/**
 * Joins blocks. If they are too long, whole rows are left out, the least important ones of all blocks first.
 * @param restUrl link to the complete output; used when rows are left out
 * @param length maximum number of characters
 */
export function composeComment(blocks: readonly Block[], restUrl?: string, length = COMMENT_LENGTH): string {
  const rankOf = ({ rank = -1 }: Row) => rank;
  const rows = blocks.flatMap((block) => block.rows).sort((one, other) => rankOf(one) - rankOf(other));
  let [fits, exceeds] = [rows.filter(({ rank }) => rank === undefined).length, rows.length + 1];
  for (let count = rows.length; exceeds - fits > 1; count = Math.floor((fits + exceeds) / 2)) {
    if (render(blocks, rows.slice(0, count), restUrl).length <= length) fits = count;
    else exceeds = count;
  }
  return render(blocks, rows.slice(0, fits), restUrl);
}

function render(blocks: readonly Block[], chosen: readonly Row[], restUrl: string | undefined): string {
  const kept = new Set(chosen);
  const rest = restUrl === undefined ? "" : `: [all of them](${restUrl})`;
  const parts = blocks.map(({ rows, unit: [one, many] }) => {
    const texts = rows.flatMap((row) => (kept.has(row) ? [row.text] : []));
    const missing = rows.length - texts.length;
    const note = missing === 0 ? "" : `\n*${counted(missing, `more ${one}`, `more ${many}`)}${rest}.*\n`;
    return texts.join("") + note;
  });
  return parts.join("");
}
