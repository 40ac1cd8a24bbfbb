/**
 * Returns a date that Postgres reads alike in any setting, from one with its day first and dots (`2.1.2024` → `2024-01-02`); null if the order of day and
 * month is not clear (`2/1/2024`). Returns other text unchanged.
 */
export function isoDate(text: string): string | null {
  const [, day = "", month = "", year, time = ""] =
    /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})(?!\d)(.*)$/su.exec(text) ?? [];
  if (year !== undefined) return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}${time}`;
  return /^\d{1,2}\s*[./-]\s*\d{1,2}\s*[./-]\s*\d/u.test(text) ? null : text;
}

const DAY = 86_400_000;

/** Returns the day after a day with four digits for its year; null for other text. */
export function dayAfter(text: string): string | null {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(`${text}T`)) return null;
  const next = new Date(midnight + DAY).toISOString().replace(/T.*/u, "");
  return next.length === text.length ? next : null;
}
