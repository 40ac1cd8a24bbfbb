type Freshness = "fresh" | "late" | "unknown";

const WORST_FIRST: readonly Freshness[] = ["late", "unknown"];

/** The freshness of what has several sources: that of the worst one. Without a source it is unknown. */
export function freshnessOf(sources: readonly { readonly freshness: Freshness }[]): Freshness {
  if (sources.length === 0) return "unknown";
  return WORST_FIRST.find((worst) => sources.some(({ freshness }) => freshness === worst)) ?? "fresh";
}
