import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { DataPlan, DefaultPrivilege, Grant } from "../plan/types.ts";

interface GrantsArgs {
  readonly plan: DataPlan;
  readonly database: pulumi.Output<string>;
}

/**
 * The grant matrix and the default privileges. One after the other: in parallel Postgres answers "tuple concurrently updated"
 * (pulumi-postgresql #831, open).
 */
export class Grants extends pulumi.ComponentResource {
  constructor(name: string, args: GrantsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Grants", name, {}, opts);
    const { database } = args;
    let previous: pulumi.Resource[] = [];
    const chained = (): pulumi.CustomResourceOptions => ({ parent: this, dependsOn: previous });
    for (const privilege of args.plan.defaultPrivileges) {
      const { owner, role, schema, kind, privileges } = privilege;
      const inputs = { database, owner, role, schema, objectType: kind, privileges: [...privileges] };
      // A writer may have the same for itself; the owner's are named without it.
      const of = owner === args.plan.roles.owner ? "" : `${owner}-`;
      const resource = `${name}-default-${of}${defaultName(privilege)}`;
      previous = [new postgresql.DefaultPrivileges(resource, inputs, chained())];
    }
    for (const grant of args.plan.grants) {
      const { role, schema, kind, privileges } = grant;
      const inputs = { database, role, schema, objectType: kind, privileges: [...privileges] };
      previous = [new postgresql.Grant(`${name}-${grantName(grant)}`, inputs, chained())];
    }
    this.registerOutputs({});
  }
}

function defaultName({ role, schema, kind }: DefaultPrivilege): string {
  return [role, schema ?? "everywhere", kind].join("-");
}

function grantName({ role, schema, kind }: Grant): string {
  return [role, schema ?? "database", kind].join("-");
}
