/**
 * Returns a number as the API reads it, from one that is written with spaces, a decimal comma or a typographic minus: `−1 234,5` → `-1234.5`. Returns other text
 * unchanged.
 */
export function plainNumber(text: string): string {
  const plain = text.replace(/\s/gu, "").replace("\u2212", "-");
  return /^[+-]?\d+,\d+$/u.test(plain) ? plain.replace(",", ".") : /^[+-]?[\d.]+$/u.test(plain) ? plain : text;
}
