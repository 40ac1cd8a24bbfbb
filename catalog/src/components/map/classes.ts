import { bisectRight, quantileSorted } from "d3-array";

/** A class of values, which have the same colour. */
export interface ValueClass {
  /** The least and the greatest of the values. */
  readonly from: number;
  readonly to: number;
  /** Number of values. */
  readonly count: number;
  /** 1 (pale) to 5. Negative for values below zero, if there are others. */
  readonly tone: number;
}

const CLASSES = 5;
const CLASSES_PER_SIGN = 3;
const MAX_TONE = 5;

/** Returns classes with about the same number of values, in order; zero separates two of them if there are values on both sides. */
export function classesOf(values: readonly number[]): readonly ValueClass[] {
  const sorted = values.toSorted((a, b) => a - b);
  const [below, rest] = [sorted.filter((value) => value < 0), sorted.filter((value) => value >= 0)];
  if (below.length === 0 || rest.length === 0) return toned(split(sorted, CLASSES));
  const negative = toned(split(below, CLASSES_PER_SIGN).toReversed()).toReversed();
  return [...negative.map((each) => ({ ...each, tone: -each.tone })), ...toned(split(rest, CLASSES_PER_SIGN))];
}

/** Returns the class of one of the values that the classes were computed from. */
export function classOf(classes: readonly ValueClass[], value: number): ValueClass | undefined {
  return classes.find(({ to }) => value <= to);
}

function split(sorted: number[], classes: number): readonly (readonly number[])[] {
  const distinct = [...new Set(sorted)];
  const thresholds =
    distinct.length <= classes
      ? distinct.slice(1)
      : Array.from({ length: classes - 1 }, (_, index) => quantileSorted(sorted, (index + 1) / classes) ?? 0);
  const [least] = sorted;
  // The least value, e.g. 0, fills more than one class: thresholds that equal it would separate nothing.
  if (least !== undefined && least === thresholds[0]) {
    const rest = sorted.filter((value) => value > least);
    return [sorted.filter((value) => value === least), ...split(rest, classes - 1)];
  }
  return [...Map.groupBy(sorted, (value) => bisectRight(thresholds, value)).values()];
}

/** Spreads the tones over the whole scale, so that the colours of few classes differ as much as possible. */
function toned(groups: readonly (readonly number[])[]): readonly ValueClass[] {
  return groups.map((group, index) => ({
    from: Math.min(...group),
    to: Math.max(...group),
    count: group.length,
    tone: groups.length === 1 ? 3 : 1 + Math.round((index * (MAX_TONE - 1)) / (groups.length - 1)),
  }));
}
