/**
 * Returns a number as the API reads it, from one in the notation of a language: of `nb` with a decimal comma, of `en` with commas between thousands, of both
 * with spaces and a typographic minus. `−1 234,5` → `-1234.5`. Returns other text unchanged.
 */
export function plainNumber(text: string, language: "nb" | "en"): string {
  const plain = text.replace(/\s/gu, "").replace("\u2212", "-");
  if (/^[+-]?[\d.]+$/u.test(plain)) return plain;
  if (language === "nb" && /^[+-]?\d+,\d+$/u.test(plain)) return plain.replace(",", ".");
  if (language === "en" && /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/u.test(plain)) return plain.replaceAll(",", "");
  return text;
}
