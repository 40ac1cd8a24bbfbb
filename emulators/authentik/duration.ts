const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 };

/** Seconds of a duration in authentik's spelling: `hours=10;minutes=5`. @throws Error for any other */
export function seconds(duration: string): number {
  const parts = duration.split(/[;,]/).map((part) => /^\s*(\w+)=(-?\d+)\s*$/.exec(part));
  return parts.reduce((sum, part) => {
    const size = UNITS[part?.[1] ?? ""];
    if (!size) throw new Error(`"${duration}" is not a duration`);
    return sum + size * Number(part?.[2]);
  }, 0);
}
