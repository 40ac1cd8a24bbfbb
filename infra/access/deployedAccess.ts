import * as pulumi from "@pulumi/pulumi";
import { type AccessRecord, DEPLOYED_ACCESS } from "./record.ts";

interface DeployedAccessArgs {
  readonly record: AccessRecord;
  /** Every other resource. */
  readonly after: readonly pulumi.Resource[];
}

/**
 * Records the access of the stack in its state, for the access diff of the next deployment, once every other resource is deployed. A failed
 * deployment keeps the previous record, next to that of its plan (plannedAccess.ts). The record is an output of a component, because the
 * engine prints the outputs of the stack in every preview.
 */
export class DeployedAccess extends pulumi.ComponentResource {
  constructor(name: string, args: DeployedAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super(DEPLOYED_ACCESS, name, {}, opts);
    const deployed = pulumi.all(args.after.map(({ urn }) => urn));
    this.registerOutputs(deployed.apply(() => ({ ...args.record })));
  }
}
