import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type AccessRecord, PLANNED_ACCESS } from "./record.ts";

/**
 * Records the access that a deployment plans in its state, before the deployment changes anything. Each plan has a component of its own name,
 * which the engine deletes when a deployment of another plan has succeeded: after a failure, the state contains every plan that can be in effect.
 */
export class PlannedAccess extends pulumi.ComponentResource {
  constructor(record: AccessRecord, opts?: pulumi.ComponentResourceOptions) {
    super(PLANNED_ACCESS, `access-${createHash("sha256").update(record.facts).digest("hex").slice(0, 8)}`, {}, opts);
    this.registerOutputs({ ...record });
  }
}
