/** Which names must resolve, by domain. */
import type { Domain } from "../../config/settings.ts";
import { recordOwner } from "./objectNames.ts";
import type { Exposure, RecordSet } from "./types.ts";

/** Returns one record set for each enabled domain with hosts. The hosts are sorted, so that the order of the list changes no record. */
export function records(stack: string, domains: readonly Domain[], exposures: readonly Exposure[]): RecordSet[] {
  const byDomain = Map.groupBy(exposures, ({ domain }) => domain);
  return domains.flatMap(({ kind, targets }) => {
    const hosts = (byDomain.get(kind) ?? []).map(({ host }) => host).sort();
    return hosts.length === 0 ? [] : [{ domain: kind, owner: recordOwner(stack), hosts, targets }];
  });
}
