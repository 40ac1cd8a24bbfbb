/** Which outpost answers for which exposure: authentik's outposts fail above some 300 providers (authentik #10501). */
import { createHash } from "node:crypto";
import type { Exposure } from "./types.ts";

/** How full outposts are on average, so that hashing finds room nearly everywhere. */
const FILL = 0.8;

/**
 * Gives each exposure with forward auth an outpost. Up to `capacity` of them share the embedded one. Above, each goes to the one of several
 * that its own name prefers, so that the order of the list changes nothing, and a new service moves few others.
 * @param capacity how many providers one outpost serves
 */
export function assignOutposts(exposures: readonly Exposure[], capacity: number): Exposure[] {
  const ids = exposures.filter(({ authentication }) => authentication === "forward-auth").map(({ id }) => id);
  const outposts = ids.length <= capacity ? 1 : Math.ceil(ids.length / Math.max(1, Math.floor(capacity * FILL)));
  const rooms = new Array<number>(outposts).fill(capacity);
  const assigned = new Map<string, number>();
  for (const id of ids.toSorted()) {
    const outpost = preferred(id, rooms);
    rooms[outpost] = (rooms[outpost] ?? 0) - 1;
    assigned.set(id, outpost);
  }
  return exposures.map((exposure) => ({ ...exposure, outpost: assigned.get(exposure.id) }));
}

/** Of the outposts with room, the one that an exposure prefers (rendezvous hashing). */
function preferred(id: string, rooms: readonly number[]): number {
  if (rooms.length === 1) return 0;
  const seed = createHash("sha256").update(id).digest().readUInt32BE();
  let best = { outpost: 0, weight: -1 };
  rooms.forEach((room, outpost) => {
    const weight = mixed(seed, outpost);
    if (room > 0 && weight > best.weight) best = { outpost, weight };
  });
  return best.outpost;
}

/** Spreads two numbers over 32 bits (the finalizer of MurmurHash3). */
function mixed(seed: number, outpost: number): number {
  let bits = seed ^ Math.imul(outpost + 1, 0x9e3779b9);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
