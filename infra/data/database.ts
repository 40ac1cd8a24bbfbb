import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import { authenticatorConnections } from "../../config/sections/postgres/maxConnections.ts";
import type { DataApi } from "../../config/settings.ts";
import { IDLE_MS } from "../plan/grants.ts";
import type { DataPlan } from "../plan/types.ts";
import { resolveRolePassword } from "../postgres/rolePassword.ts";

interface DatabaseArgs {
  readonly dataApi: DataApi;
  readonly plan: DataPlan;
  /** Refuses to drop a database that the stack creates. */
  readonly protect: boolean;
}

/**
 * The three roles of the data API, its database, and its schemas with their owners. An existing database and its schemas are not resources, so
 * that nothing drops them; the migrations create the schemas that are missing.
 */
export class Database extends pulumi.ComponentResource {
  readonly name: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Database", name, {}, opts);
    const { roles, limits, maxReplicas, authenticatorPassword, ownerPassword } = args.dataApi;
    const role = (
      kind: string,
      roleArgs: postgresql.RoleArgs,
      dependsOn: readonly pulumi.Resource[] = [],
    ): postgresql.Role => new postgresql.Role(`${name}-${kind}`, roleArgs, { parent: this, dependsOn: [...dependsOn] });

    const anonymous = role("anonymous", {
      name: roles.anonymous,
      login: false,
      // The pre-request function applies it to each request, in milliseconds: PostgREST would do so only where the database may configure it.
      statementTimeout: limits.statementTimeout,
    });
    const authenticator = role("authenticator", {
      name: roles.authenticator,
      login: true,
      // Has no privileges and inherits none: a request has only the privileges of the role that it switches to.
      inherit: false,
      idleInTransactionSessionTimeout: IDLE_MS,
      roles: [anonymous.name],
      connectionLimit: authenticatorConnections({ maxReplicas, connections: limits.connections }),
      password: resolveRolePassword(authenticatorPassword, "data_api.authenticator_password"),
    });
    const owner = role(
      "owner",
      { name: roles.owner, login: true, password: resolveRolePassword(ownerPassword, "data_api.owner_password") },
      // A destroy drops the owner first, which makes the administrator the owner of its objects: without superuser rights, only
      // their owner can revoke the privileges of the anonymous role.
      [anonymous],
    );

    if (args.plan.existing) {
      this.name = pulumi.all([anonymous.name, authenticator.name, owner.name]).apply(() => args.plan.database);
      this.registerOutputs({ name: this.name });
      return;
    }
    const database = new postgresql.Database(
      `${name}-database`,
      { name: args.plan.database },
      // A role that something in the database still names cannot be dropped, so a destroy takes the database first.
      { parent: this, dependsOn: [anonymous, authenticator, owner], protect: args.protect },
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
