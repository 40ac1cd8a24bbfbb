/** An item that tags select, e.g. an endpoint. */
interface Tagged {
  readonly tags: readonly string[];
}

/** Returns the namespace of a tag `<namespace>:<value>`; empty without one. */
export function namespaceOf(tag: string): string {
  return tag.slice(0, Math.max(0, tag.indexOf(":")));
}

/** Returns the value of a tag `<namespace>:<value>`. */
export function valueOf(tag: string): string {
  return tag.slice(tag.indexOf(":") + 1);
}

/** Returns whether an endpoint has at least one chosen tag of each namespace with chosen tags: AND across namespaces, OR within one. */
export function matchesTags(endpoint: Tagged, chosen: readonly string[]): boolean {
  return missedNamespaces(endpoint, byNamespace(chosen)).length === 0;
}

/**
 * Returns for each tag the number of endpoints that the list would show with it: those that match the chosen tags of all other namespaces. The
 * result contains all chosen tags and all tags of the endpoints, also with 0.
 */
export function countTags(endpoints: readonly Tagged[], chosen: readonly string[]): Map<string, number> {
  const groups = byNamespace(chosen);
  const counts = new Map<string, number>(chosen.map((tag) => [tag, 0]));
  for (const endpoint of endpoints) {
    const missed = missedNamespaces(endpoint, groups);
    for (const tag of new Set(endpoint.tags)) {
      const counted = missed.every((namespace) => namespace === namespaceOf(tag));
      counts.set(tag, (counts.get(tag) ?? 0) + (counted ? 1 : 0));
    }
  }
  return counts;
}

function byNamespace(tags: readonly string[]): Map<string, string[]> {
  return Map.groupBy(tags, namespaceOf);
}

function missedNamespaces(endpoint: Tagged, groups: ReadonlyMap<string, readonly string[]>): string[] {
  return [...groups]
    .filter(([, tags]) => !tags.some((tag) => endpoint.tags.includes(tag)))
    .map(([namespace]) => namespace);
}
