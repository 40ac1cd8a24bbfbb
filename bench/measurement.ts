/** One line of the result: what was measured, and the values under their headings. */
export type Measurement = Readonly<Record<string, string | number>>;

/** Returns the upper median; 0 for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Median and 99th percentile of durations in milliseconds. */
export function timesOf(durations: readonly number[]): Measurement {
  const sorted = durations.toSorted((a, b) => a - b);
  const quantile = (part: number): string => (sorted[Math.ceil(sorted.length * part) - 1] ?? 0).toFixed(1);
  return { "p50 ms": quantile(0.5), "p99 ms": quantile(0.99) };
}
