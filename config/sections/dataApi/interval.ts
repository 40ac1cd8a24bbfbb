const UNITS: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** Returns the milliseconds of a Postgres interval such as `5000`, `500ms`, `5s` or `2min`; NaN for any other. */
export function milliseconds(interval: string): number {
  const [, digits, unit = "?"] = /^(\d+) *([a-z]*)$/.exec(interval) ?? [];
  return Number(digits) * (UNITS[unit] ?? NaN);
}
