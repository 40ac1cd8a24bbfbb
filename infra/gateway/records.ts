import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { RecordSet } from "../plan/types.ts";
import { endpointsMetadata, endpointsOf } from "./endpoints.ts";

/**
 * Registers the domain records of one kind: an ExternalDNS `DNSEndpoint` with all its hosts. A kind without targets has none, as ExternalDNS
 * cannot read them from an IngressRoute.
 */
export function registerRecords(name: string, records: RecordSet, child: pulumi.CustomResourceOptions): void {
  if (records.targets.length === 0) return;
  new k8s.apiextensions.CustomResource(
    `${name}-endpoint`,
    {
      apiVersion: "externaldns.k8s.io/v1alpha1",
      kind: "DNSEndpoint",
      metadata: endpointsMetadata(records),
      spec: { endpoints: endpointsOf(records) },
    },
    child,
  );
}
