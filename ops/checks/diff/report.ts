/** An access diff as text for a terminal. Pure. */
import type { Paint } from "../../terminal/paint.ts";
import type { Change } from "./diff.ts";
import { type Effect, RANKS } from "./effects.ts";
import { sentenceOf } from "./sentences.ts";
import { mark, render } from "./phrases.ts";

/** The same sentence, of one place or several. */
export interface Reported {
  readonly effect: Effect;
  /** With its names set off (phrases.ts). */
  readonly sentence: string;
  readonly where: readonly string[];
}

/** Places in one entry: a comment that is too long is cut between entries. */
const PLACES = 10;

/** Returns the statements that do not follow from others; those with the same sentence are one entry. */
export function reportedOf(changes: readonly Change[]): Reported[] {
  const reported = changes
    .filter(({ implied }) => !implied)
    .map((change) => ({ ...change, sentence: sentenceOf(change) }));
  const same = Map.groupBy(reported, ({ effect, about, sentence }) => JSON.stringify([effect, about, sentence]));
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    const where = group.map((change) => change.where);
    const pieces = Array.from({ length: Math.ceil(where.length / PLACES) }, (_, piece) =>
      where.slice(piece * PLACES, (piece + 1) * PLACES),
    );
    return pieces.map((piece) => ({ effect: first?.effect ?? "other", sentence: first?.sentence ?? "", where: piece }));
  });
}

const TITLES: Readonly<Record<Effect, string>> = {
  public: "Opens to the public",
  more: "More access",
  other: "Other changes",
  less: "Less access",
};
const LOOKS = {
  public: { sign: "✖", colour: "red" },
  more: { sign: "+", colour: "yellow" },
  other: { sign: "~", colour: "dim" },
  less: { sign: "-", colour: "green" },
} as const;

export function titleOf(effect: Effect): string {
  return TITLES[effect];
}

/**
 * The statements in words, most dangerous first: the places, and below them what happens there.
 * @returns lines without a last line break; one line when nothing changes
 */
export function describeChanges(changes: readonly Change[], paint: Paint): string {
  const reported = reportedOf(changes);
  if (reported.length === 0) return "No access changes.";
  const parts = RANKS.flatMap((effect) => {
    const group = reported.filter((each) => each.effect === effect);
    if (group.length === 0) return [];
    return [[TITLES[effect], ...group.map((each) => describeOne(each, paint))].join("\n")];
  });
  return [...parts, `${countChanges(changes)}.`].join("\n\n");
}

function describeOne({ effect, where, sentence }: Reported, paint: Paint): string {
  const { sign, colour } = LOOKS[effect];
  const same = (text: string) => text;
  const places = where.map((place, index) => `  ${index === 0 ? sign : " "} ${render(mark(place), same, same)}`);
  return [...places.map((place) => paint(colour, place)), `      ${render(sentence, same, same)}`].join("\n");
}

const COUNTED: Readonly<Record<Effect, readonly [one: string, many: string]>> = {
  public: ["opens something to the public", "open something to the public"],
  more: ["gives more access", "give more access"],
  other: ["changes something else", "change something else"],
  less: ["takes access away", "take access away"],
};

/** `1 statement opens something to the public, 2 take access away`. */
export function countChanges(changes: readonly Change[]): string {
  const counted = RANKS.flatMap((effect) => {
    const count = changes.filter((change) => change.effect === effect && !change.implied).length;
    return count === 0 ? [] : [{ count, text: COUNTED[effect][count === 1 ? 0 : 1] }];
  });
  if (counted.length === 0) return "no access changes";
  return counted
    .map(({ count, text }, index) =>
      index > 0 ? `${count} ${text}` : `${count} ${count === 1 ? "statement" : "statements"} ${text}`,
    )
    .join(", ");
}

/** Whether something is opened to everyone. */
export function opensToPublic(changes: readonly Change[]): boolean {
  return changes.some(({ effect }) => effect === "public");
}
