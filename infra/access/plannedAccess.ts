import * as pulumi from "@pulumi/pulumi";
import { shortHash } from "../shortHash.ts";
import { type AccessRecord, jsonOf, PLANNED_ACCESS } from "./record.ts";

/**
 * Records the access that a deployment plans in its state, before the deployment changes anything. The name of the component is a hash of the
 * plan, so the engine deletes the one before among the other deletions of a deployment of another plan. `gatehouse deploy` keeps it if that
 * deployment does not complete (ops/engine/recovery/accessRecords.ts): then the state contains every plan that can be in effect.
 */
export class PlannedAccess extends pulumi.ComponentResource {
  constructor(record: AccessRecord, opts?: pulumi.ComponentResourceOptions) {
    super(PLANNED_ACCESS, plannedName(record), {}, opts);
    this.registerOutputs({ ...record });
  }
}

/** Returns the name of the component. It does not depend on the compressed facts, whose bytes differ between versions of Node.js. */
export function plannedName(record: AccessRecord): string {
  return `access-${shortHash(jsonOf(record))}`;
}
