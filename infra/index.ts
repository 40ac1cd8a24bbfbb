/** The Pulumi program of this repository. */
import type * as pulumi from "@pulumi/pulumi";
import { Gatehouse, type GatehouseArgs } from "./gatehouse.ts";

/**
 * Deploys the selected stack. Exported as a function, so that the engine runs it both as the project's program (`pulumi up`) and inline
 * (the Automation API), any number of times.
 */
export default function program(args?: GatehouseArgs): Promise<Record<string, pulumi.Output<unknown>>> {
  return Promise.try(() => {
    const { identityProvider, jwks } = new Gatehouse("gatehouse", args);
    // No list of hosts: the engine prints all of a list when one entry changes.
    return { identityProvider, jwks };
  });
}
