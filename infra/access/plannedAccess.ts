import * as pulumi from "@pulumi/pulumi";
import { shortHash } from "../shortHash.ts";
import { type AccessRecord, jsonOf, PLANNED_ACCESS } from "./record.ts";

/**
 * Records the access that a deployment plans in its state, before the deployment changes anything. The name of the component is a hash of the
 * plan, so the engine deletes the one before when a deployment of another plan has succeeded: after a failure, the state contains every plan that
 * can be in effect.
 */
export class PlannedAccess extends pulumi.ComponentResource {
  constructor(record: AccessRecord, opts?: pulumi.ComponentResourceOptions) {
    // Not of the compressed facts, whose bytes depend on the version of Node.js.
    super(PLANNED_ACCESS, `access-${shortHash(jsonOf(record))}`, {}, opts);
    this.registerOutputs({ ...record });
  }
}
