type Freshness = "fresh" | "late" | "unknown";

const WORST_FIRST: readonly Freshness[] = ["late", "unknown"];

/** Returns the worst freshness of several sources; unknown without a source. */
export function freshnessOf(sources: readonly { readonly freshness: Freshness }[]): Freshness {
  if (sources.length === 0) return "unknown";
  return WORST_FIRST.find((worst) => sources.some(({ freshness }) => freshness === worst)) ?? "fresh";
}
