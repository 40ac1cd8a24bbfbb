/** Which outpost answers for which exposure. */
import { createHash } from "node:crypto";
import type { Backend, Settings } from "../../config/settings.ts";
import { combinationOf } from "./groupPolicies.ts";
import type { ForwardedExposure } from "./exposure.ts";
import { AUTHENTIK_PORT } from "./ownServices.ts";
import { outpostName, outpostNamespace, providerName } from "./objectNames.ts";
import type { Exposure, Outpost } from "./types.ts";

/** Length of an exposure's hash in bits. */
const BITS = 32;

/**
 * Assigns an outpost to each exposure with forward auth: one for each combination of allowed groups, session length and scheme. More
 * exposures than one outpost serves are distributed by extendible hashing: an outpost that exceeds its capacity keeps about half of its
 * exposures, and the others move to a new one. So the order of the list changes nothing, and a change of the list moves other exposures only
 * where an outpost begins or ceases to exceed the capacity, and only those of that outpost.
 */
export function assignOutposts(exposures: readonly Exposure[], settings: Settings): Exposure[] {
  const capacity = settings.identityProvider.providersPerOutpost;
  const sharing = Map.groupBy(
    exposures.filter(({ authentication }) => authentication === "forward-auth"),
    (exposure) => JSON.stringify(shared(exposure)),
  );
  const assigned = new Map<string, string>();
  const combinations = new Map<string, string>();
  for (const [combination, members] of sharing) {
    for (const [id, number] of numbered(members, capacity)) {
      const name = outpostName(settings, ...shared(members[0]), number);
      // Sessions of one would open the other; names contain 32 bits of a hash.
      if ((combinations.get(name) ?? combination) !== combination)
        throw new Error(
          `two combinations of groups and session have the outpost "${name}". Change the session of ${id}.`,
        );
      combinations.set(name, combination);
      assigned.set(id, name);
    }
  }
  return exposures.map((exposure) => ({ ...exposure, outpost: assigned.get(exposure.id) }));
}

/** Returns the outposts that exposures name, in the order of their names. */
export function outposts(settings: Settings, exposures: readonly Exposure[]): Outpost[] {
  const namespace = outpostNamespace(settings);
  const byName = new Map(
    exposures.flatMap(({ outpost, groups }) => (outpost === undefined ? [] : [[outpost, groups] as const])),
  );
  return [...byName]
    .map(([name, groups]) => ({ name, namespace, port: AUTHENTIK_PORT, groups: groups.toSorted() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the name of the provider of an exposure in the identity provider. */
export function providerOf(exposure: ForwardedExposure): string {
  return providerName(exposure.application.slug, ...shared(exposure));
}

/** Returns the Service with the pages that replace empty responses of an outpost; it is in the namespace of the outposts. */
export function signInPages(namespace: string): Backend {
  return { name: "gatehouse-sign-in-pages", namespace, port: AUTHENTIK_PORT };
}

function shared(exposure: Exposure | undefined): [groups: readonly string[], session: string, scheme: string] {
  const { groups = [], session = "", url = "" } = exposure ?? {};
  return [combinationOf(groups), session, url.slice(0, url.indexOf(":"))];
}

/** Returns the number of the outpost of each exposure: the last bits of its hash, as few as keep that outpost within its capacity. */
function numbered(exposures: readonly Exposure[], capacity: number): Map<string, number> {
  const split = (ids: readonly (readonly [id: string, hash: number])[], bits: number): [string, number][] => {
    if (ids.length <= capacity || bits === BITS) return ids.map(([id, hash]) => [id, lastBits(hash, bits)]);
    const [even, odd] = [0, 1].map((bit) => ids.filter(([, hash]) => ((hash >>> bits) & 1) === bit));
    return [...split(even ?? [], bits + 1), ...split(odd ?? [], bits + 1)];
  };
  return new Map(
    split(
      exposures.map(({ id }) => [id, hashOf(id)] as const),
      0,
    ),
  );
}

function hashOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32BE();
}

function lastBits(hash: number, bits: number): number {
  return hash % 2 ** bits;
}
