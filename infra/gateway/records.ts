import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { isIP } from "node:net";
import type { RecordSet } from "../plan/types.ts";

export interface DomainRecordsArgs {
  readonly records: RecordSet;
}

/**
 * The domain records of one kind: an ExternalDNS `DNSEndpoint` with all its hosts. A kind without targets has none, as ExternalDNS
 * cannot read them from an IngressRoute (field.md 5).
 */
export class DomainRecords extends pulumi.ComponentResource {
  constructor(name: string, args: DomainRecordsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:DomainRecords", name, {}, opts);
    const { domain, owner, hosts, targets } = args.records;
    if (targets.length > 0) {
      new k8s.apiextensions.CustomResource(
        `${name}-endpoint`,
        {
          apiVersion: "externaldns.k8s.io/v1alpha1",
          kind: "DNSEndpoint",
          // An ExternalDNS that watches one owner only finds its own by the label.
          metadata: { name: `${owner}-${domain}`, namespace: "default", labels: { "gatehouse.dev/owner": owner } },
          spec: { endpoints: hosts.flatMap((host) => endpoints(host, targets, owner)) },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

function endpoints(host: string, targets: readonly string[], owner: string): Endpoint[] {
  const byType = Map.groupBy(targets, recordType);
  return [...byType].map(([type, values]) => ({ dnsName: host, recordType: type, targets: values, labels: { owner } }));
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
