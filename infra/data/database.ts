import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { DataApi } from "../../config/settings.ts";
import type { DataPlan } from "../plan/types.ts";
import { reveal } from "../secrets.ts";

export interface DatabaseArgs {
  readonly dataApi: DataApi;
  readonly plan: DataPlan;
}

/** The database of the data API, its three roles, and its schemas with their owners. */
export class Database extends pulumi.ComponentResource {
  readonly name: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Database", name, {}, opts);
    const { roles, limits, authenticatorPassword, ownerPassword } = args.dataApi;
    const role = (kind: string, roleArgs: postgresql.RoleArgs): postgresql.Role =>
      new postgresql.Role(`${name}-${kind}`, roleArgs, { parent: this });

    const anonymous = role("anonymous", {
      name: roles.anonymous,
      login: false,
      // PostgREST applies a role's settings to each request that runs as it; milliseconds.
      statementTimeout: milliseconds(limits.statementTimeout),
    });
    const authenticator = role("authenticator", {
      name: roles.authenticator,
      login: true,
      // Has nothing of its own and inherits nothing: a request can only do what the role it switches to can.
      inherit: false,
      roles: [anonymous.name],
      password: reveal(authenticatorPassword),
    });
    const owner = role("owner", { name: roles.owner, login: true, password: reveal(ownerPassword) });

    const database = new postgresql.Database(
      `${name}-database`,
      { name: args.plan.database },
      // A role that something in the database still names cannot be dropped, so a destroy takes the database first.
      { parent: this, dependsOn: [anonymous, authenticator, owner] },
    );
    this.name = database.name;
    for (const schema of args.plan.schemas) {
      new postgresql.Schema(
        `${name}-${schema.name}`,
        { name: schema.name, database: this.name, owner: schema.owner },
        // A schema that leaves the configuration keeps its data: its grants go, and only a destroy of the database removes it.
        { parent: this, retainOnDelete: true },
      );
    }
    this.registerOutputs({ name: this.name });
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000 };

/**
 * Milliseconds of a Postgres interval such as `500ms`, `5s` or `2min`.
 * @throws for any other spelling, which configuration checks rule out
 */
export function milliseconds(interval: string): number {
  const [, digits, unit] = /^(\d+)(ms|s|min)$/.exec(interval) ?? [];
  const factor = UNITS[unit ?? ""];
  if (digits === undefined || factor === undefined) {
    throw new pulumi.InputPropertyError({
      propertyPath: "limits.statement_timeout",
      reason: `"${interval}" is not like 500ms, 5s or 2min`,
    });
  }
  return Number(digits) * factor;
}
