/** Which outpost answers for which exposure. */
import { createHash } from "node:crypto";
import type { Backend, Settings } from "../../config/settings.ts";
import { outpostName, outpostNamespace } from "./names.ts";
import type { Exposure, Outpost } from "./types.ts";

/** Path where an outpost takes callbacks and sign-outs on a protected host (authentik docs, "Forward auth"). */
export const OUTPOST_PATH = "/outpost.goauthentik.io";
/** HTTP listener of an outpost (authentik docs, "Ports"). */
const PORT = 9000;
/** Average share of the capacity that is used, so that an exposure's preferred outpost almost always has room. */
const FILL = 0.8;

/**
 * Assigns an outpost to each exposure with forward auth: one for each combination of allowed groups, session length and scheme. More
 * exposures than one outpost serves are distributed by rendezvous hashing, so that the order of the list changes nothing and a new
 * service moves few others.
 */
export function assignOutposts(exposures: readonly Exposure[], settings: Settings): Exposure[] {
  const capacity = settings.identityProvider.providersPerOutpost;
  const sharing = Map.groupBy(
    exposures.filter(({ authentication }) => authentication === "forward-auth"),
    (exposure) => JSON.stringify(shared(exposure)),
  );
  const assigned = new Map<string, string>();
  for (const members of sharing.values()) {
    for (const [id, number] of numbered(members, capacity)) {
      assigned.set(id, outpostName(settings, ...shared(members[0]), number));
    }
  }
  return exposures.map((exposure) => ({ ...exposure, outpost: assigned.get(exposure.id) }));
}

/** The outposts that exposures name, in the order of their names. */
export function outposts(settings: Settings, exposures: readonly Exposure[]): Outpost[] {
  const namespace = outpostNamespace(settings);
  const byName = new Map(
    exposures.flatMap(({ outpost, groups }) => (outpost === undefined ? [] : [[outpost, groups] as const])),
  );
  return [...byName]
    .map(([name, groups]) => ({ name, namespace, port: PORT, groups: groups.toSorted() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The Service with the pages that a user sees instead of an outpost's empty answers; it is in the namespace of the outposts. */
export function signInPages(namespace: string): Backend {
  return { name: "gatehouse-sign-in-pages", namespace, port: PORT };
}

function shared(exposure: Exposure | undefined): [groups: readonly string[], session: string, scheme: string] {
  const { groups = [], session = "", url = "" } = exposure ?? {};
  return [[...new Set(groups)].sort(), session, url.slice(0, url.indexOf(":"))];
}

function numbered(exposures: readonly Exposure[], capacity: number): Map<string, number> {
  const ids = exposures.map(({ id }) => id);
  const count = ids.length <= capacity ? 1 : Math.ceil(ids.length / Math.max(1, Math.floor(capacity * FILL)));
  const rooms = new Array<number>(count).fill(capacity);
  const assigned = new Map<string, number>();
  for (const id of ids.toSorted()) {
    const outpost = preferred(id, rooms);
    rooms[outpost] = (rooms[outpost] ?? 0) - 1;
    assigned.set(id, outpost);
  }
  return assigned;
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
