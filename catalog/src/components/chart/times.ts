import { compared } from "../../text/order.ts";

/** Times in order. */
interface Times {
  readonly labels: readonly string[];
  /** Position of each time on an axis; null if the distances are unknown, e.g. of quarters. */
  readonly positions: ReadonlyMap<string, number> | null;
}

const DATE = /^\d{4}-\d{2}-\d{2}/u;
/** Also as Statistics Norway writes it: 2024M01. */
const MONTH = /^(\d{4})[-M](\d{2})$/u;

/** Returns different times in order: of years, and of months and dates in milliseconds, also with their positions. */
export function orderedTimes(texts: Iterable<string>): Times {
  const labels = [...new Set(texts)].sort(compared);
  const position = [yearOf, millisecondsOf].find((of) => labels.every((label) => Number.isFinite(of(label))));
  if (!position) return { labels, positions: null };
  const pairs = labels.map((label) => [label, position(label)] as const).sort(([, a], [, b]) => a - b);
  // Dates with microseconds can be equal in milliseconds, and an axis needs a length.
  const apart = pairs.length < 2 || pairs[0]?.[1] !== pairs.at(-1)?.[1];
  return { labels: pairs.map(([label]) => label), positions: apart ? new Map(pairs) : null };
}

/** Returns a number of up to four digits (year, month, week), else NaN: also for 202412, which is not next to 202501 as a number. */
function yearOf(text: string): number {
  return /^\d{1,4}$/u.test(text) ? Number(text) : Number.NaN;
}

/**
 * Returns a date or the start of a month in milliseconds, else NaN. A time without a zone is read as UTC, because a zone with summer time has some hours twice or
 * never.
 */
function millisecondsOf(text: string): number {
  if (MONTH.test(text)) return Date.parse(text.replace(MONTH, "$1-$2"));
  if (!DATE.test(text)) return Number.NaN;
  return Date.parse(text.length <= 10 || /(Z|[+-]\d{2}(:?\d{2})?)$/u.test(text.slice(10)) ? text : `${text}Z`);
}

/** Whether times are dates rather than years or categories. */
export function areDates({ labels, positions }: Times): boolean {
  return positions !== null && labels.every((label) => DATE.test(label));
}

/** Whether all times have the zone UTC. */
export function areInUtc(labels: readonly string[]): boolean {
  return labels.length > 0 && labels.every((label) => DATE.test(label) && /(Z|[+-]00(:?00)?)$/u.test(label.slice(10)));
}

const DAY = 86_400_000;
/** Lengths of a day, and of a day with minutes. */
const [DAY_LENGTH, MINUTE_LENGTH] = [10, 16];

/** Returns the maximum number of parts that ticks divide an axis into, by the length of their texts. */
function partsOf(length: number): number {
  if (length <= 4) return 6;
  if (length <= 7) return 4;
  return length <= DAY_LENGTH ? 3 : 2;
}

/** Whether a date has no time of day, or is midnight. */
function isMidnight(label: string): boolean {
  return label.length <= DAY_LENGTH || label.slice(11, MINUTE_LENGTH) === "00:00";
}

/** Returns the ticks of an axis of time: times of the rows, at distances that leave room for their texts. */
export function ticksOf({ labels, positions }: Times): readonly { readonly value: number; readonly text: string }[] {
  const values = [...(positions ?? [])];
  const span = (values.at(-1)?.[1] ?? 0) - (values[0]?.[1] ?? 0);
  const dates = areDates({ labels, positions });
  // Without a midnight, as of Norwegian days in UTC, the day alone would be another one.
  const timed = dates && !labels.some(isMidnight);
  const longest = Math.max(...labels.map(({ length }) => length));
  const room = span / partsOf(!dates ? longest : timed || span < 3 * DAY ? MINUTE_LENGTH : DAY_LENGTH);
  const ticks: { label: string; value: number }[] = [];
  for (const [label, value] of values) {
    const last = ticks.at(-1);
    if (last === undefined || (value > last.value && value - last.value >= room)) ticks.push({ label, value });
  }
  if (!dates) return ticks.map(({ label, value }) => ({ value, text: label }));
  // The day, and the minutes if there are several in a day or no tick is at midnight.
  const days = new Set(ticks.map(({ label }) => label.slice(0, DAY_LENGTH)));
  const length = timed || days.size < ticks.length ? MINUTE_LENGTH : DAY_LENGTH;
  return ticks.map(({ label, value }) => ({ value, text: label.slice(0, length).replace("T", " ") }));
}
