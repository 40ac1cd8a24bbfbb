/** What free text is looked for in. */
interface Named {
  readonly schema: string;
  readonly relation: string;
  readonly title: string | null;
  readonly tags: readonly string[];
}

/** Whether every word of a text is somewhere in the names or the tags of an endpoint; case and the way accents are written do not matter. */
export function matchesText(endpoint: Named, text: string): boolean {
  const words = folded(text).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return true;
  const names = folded([`${endpoint.schema}.${endpoint.relation}`, endpoint.title ?? "", ...endpoint.tags].join("\n"));
  return words.every((word) => names.includes(word));
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
