/** What PostgREST supports by its version, as `data_api.version` states it: `v14.17`. */
import { coerce, gte } from "semver";

/**
 * Returns whether a PostgREST listens on the primary while it reads from a replica: since 12.2.0 it requires a read-write session for its
 * listener alone (its changelog, #3414). An older one listens on the replica, receives no notification, and serves outdated relations (#3533).
 */
export function listensOnPrimary(version: string): boolean {
  return isAtLeast(version, "12.2.0");
}

/** Returns whether a PostgREST has `/metrics` on its admin port, as since 12.2.0 (its changelog, #3404). */
export function hasMetrics(version: string): boolean {
  return isAtLeast(version, "12.2.0");
}

function isAtLeast(version: string, minimum: string): boolean {
  return gte(coerce(version) ?? "0.0.0", minimum);
}
