const UNITS: Readonly<Record<string, number>> = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };

/** Returns the seconds of a duration in authentik's spelling, `hours=1;minutes=5`. Of a repeated unit, the last value counts. */
export function seconds(duration: string): number {
  const values = Object.fromEntries(duration.split(";").map((part) => part.split("=") as [string, string]));
  return Object.entries(values).reduce((sum, [unit, value]) => sum + Number(value) * (UNITS[unit] ?? NaN), 0);
}
