export type Values = Readonly<Record<string, string | number>>;

/** `{name}`, or `{name:one|other}`: the form of a word for a number. */
const PLACEHOLDER = /\{(\w+)(?::([^|{}]*)\|([^|{}]*))?\}/gu;

/** Returns a function that writes a number of the data: with three decimals, or with four digits if that is more, as of 0.000123. */
export function dataNumbers(language: string): (value: number) => string {
  const format = new Intl.NumberFormat(language, {
    maximumFractionDigits: 3,
    maximumSignificantDigits: 4,
    roundingPriority: "morePrecision",
  });
  return (value) => format.format(value);
}

/** Returns a function that puts values into a text. It writes numbers, and chooses forms of words, as the language does. */
export function templates(language: string): (text: string, values: Values) => string {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  return (text, values) =>
    text.replace(PLACEHOLDER, (placeholder, name: string, one: string | undefined, other: string | undefined) => {
      const value = values[name];
      if (value === undefined) return placeholder;
      if (one !== undefined && other !== undefined)
        return typeof value === "number" && plurals.select(value) === "one" ? one : other;
      return typeof value === "number" ? numbers.format(value) : value;
    });
}
