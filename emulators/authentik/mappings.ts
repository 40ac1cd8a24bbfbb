import type { Kinds, Provider } from "./objects.ts";
import type { Store } from "./store.ts";

/** Returns the scope mappings of a provider that exist, in its order. */
export function mappingsOf(store: Store, { property_mappings: ids }: Provider): Kinds["mapping"][] {
  return ids.flatMap((id) => store.get("mapping", id) ?? []);
}
