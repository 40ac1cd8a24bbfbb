import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { RecordSet } from "../plan/types.ts";
import { endpointsName, endpointsOf } from "./endpoints.ts";

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
    const { records } = args;
    const { owner } = records;
    if (records.targets.length > 0) {
      new k8s.apiextensions.CustomResource(
        `${name}-endpoint`,
        {
          apiVersion: "externaldns.k8s.io/v1alpha1",
          kind: "DNSEndpoint",
          // An ExternalDNS that watches one owner only finds its own by the label.
          metadata: { name: endpointsName(records), namespace: "default", labels: { "gatehouse.dev/owner": owner } },
          spec: { endpoints: endpointsOf(records) },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}
