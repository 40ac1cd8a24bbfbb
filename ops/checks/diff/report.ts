/** An access diff as text for a terminal. Pure. */
import { type Paint, SIGNS } from "../../terminal/paint.ts";
import { sentenceOf } from "./diff.ts";
import { type Change, type Effect, EFFECTS } from "./entry.ts";
import { mark, render } from "./phrases.ts";

interface Reported extends ReturnType<typeof style> {
  /** 0 = most dangerous. */
  readonly rank: number;
  readonly count: number;
  readonly entries: readonly ReportedEntry[];
}
/** A sentence, and all subjects that it applies to. Names in it are marked (phrases.ts). */
export interface ReportedEntry {
  readonly sentence: string;
  readonly where: readonly string[];
}

/** Maximum subjects of one entry: a comment that is too long is cut between entries. */
const MAX_SUBJECTS = 10;

/** Returns the statements that do not follow from others, most dangerous first; those with the same sentence are one entry. */
export function reportedOf(changes: readonly Change[]): Reported[] {
  return EFFECTS.flatMap((effect) => {
    const statements = changes.filter((change) => change.effect === effect && !change.implied);
    const entries = [...Map.groupBy(statements, sentenceOf)].flatMap(([sentence, same]) =>
      Array.from({ length: Math.ceil(same.length / MAX_SUBJECTS) }, (_, piece) => {
        const where = same.slice(piece * MAX_SUBJECTS, (piece + 1) * MAX_SUBJECTS).map((change) => change.where);
        return { sentence, where };
      }),
    );
    return entries.length === 0
      ? []
      : [{ ...STYLES[effect], rank: EFFECTS.indexOf(effect), count: statements.length, entries }];
  });
}

const STYLES: Readonly<Record<Effect, ReturnType<typeof style>>> = {
  public: style(
    "Opens to the public",
    SIGNS.failed,
    "red",
    "opens something to the public",
    "open something to the public",
  ),
  more: style("More access", "+", "yellow", "gives more access", "give more access"),
  other: style("Other changes", "~", "dim", "changes something else", "change something else"),
  less: style("Less access", "-", "green", "takes access away", "take access away"),
};

function style(title: string, sign: string, colour: Parameters<Paint>[0], one: string, many: string) {
  return { title, sign, colour, one, many };
}

/**
 * Returns the statements in words, most dangerous first: the subjects, and below them what changes.
 * @returns lines without a last line break; one line when nothing changes
 */
export function describeChanges(changes: readonly Change[], paint: Paint): string {
  const reported = reportedOf(changes);
  if (reported.length === 0) return "No access changes.";
  const parts = reported.map(({ title, sign, colour, entries }) => {
    const lines = entries.flatMap(({ where, sentence }) => [
      ...where.map((subject, index) => paint(colour, `  ${index === 0 ? sign : " "} ${render(mark(subject))}`)),
      `      ${render(sentence)}`,
    ]);
    return [title, ...lines].join("\n");
  });
  return [...parts, `${countReported(reported)}.`].join("\n\n");
}

export const REFUSED = "Refused by npx gatehouse deploy";

/** Returns the names that a deployment cannot change as one text; none without them. */
export function describeRefused(refused: readonly string[], paint: Paint): string[] {
  const lines = refused.map((line) => paint("red", `  ${SIGNS.failed} ${render(mark(line))}`));
  return lines.length === 0 ? [] : [[REFUSED, ...lines].join("\n")];
}

/** Returns `1 statement opens something to the public, 2 take access away`. */
export function countReported(reported: readonly Reported[]): string {
  const counted = reported.map(({ count, one, many }, index) => {
    const unit = index > 0 ? "" : count === 1 ? " statement" : " statements";
    return `${count}${unit} ${count === 1 ? one : many}`;
  });
  return counted.join(", ") || "No access changes";
}

/** Returns whether a change opens something to the public, implied ones included. */
export function opensToPublic(changes: readonly Change[]): boolean {
  return changes.some(({ effect }) => effect === "public");
}
