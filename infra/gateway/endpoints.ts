import { isIP } from "node:net";
import type { RecordSet } from "../plan/types.ts";

interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the name of the `DNSEndpoint` of a domain, which is in the namespace `default`. */
export function endpointsName({ owner, domain }: RecordSet): string {
  return `${owner}-${domain}`;
}

/** Returns the metadata of a DNSEndpoint. An ExternalDNS with `--label-filter` selects the records of one stack by this label. */
export function endpointsMetadata(records: RecordSet) {
  return { name: endpointsName(records), namespace: "default", labels: { "gatehouse.dev/owner": records.owner } };
}

/** Returns its endpoints: one for each host and type of target. */
export function endpointsOf({ hosts, targets, owner }: RecordSet): Endpoint[] {
  const byType = [...Map.groupBy(targets, recordType)];
  return hosts.flatMap((dnsName) =>
    byType.map(([type, values]) => ({ dnsName, recordType: type, targets: values, labels: { owner } })),
  );
}

function recordType(target: string): string {
  switch (isIP(target)) {
    case 4:
      return "A";
    case 6:
      return "AAAA";
    default:
      return "CNAME";
  }
}
