/**
 * Compares two texts, with the numbers in them as numbers. Its language is not that of the browser, so that an address shows the same series to every
 * user.
 */
export const { compare: compared } = new Intl.Collator("nb", { numeric: true });
