/** The texts that a search compares with. */
interface Named {
  readonly schema: string;
  readonly relation: string;
  readonly title: string | null;
  readonly tags: readonly string[];
}

/** Returns whether the names or tags of an endpoint contain every word of a text. Ignores case and the Unicode form of accents. */
export function matchesText(endpoint: Named, text: string): boolean {
  const words = folded(text).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return true;
  const names = folded([`${endpoint.schema}.${endpoint.relation}`, endpoint.title ?? "", ...endpoint.tags].join("\n"));
  return words.every((word) => names.includes(word));
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
