import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider } from "../../config/settings.ts";
import type { Postgres } from "../postgres/postgres.ts";
import { isProtected } from "../postgres/connection.ts";
import { resolveRolePassword } from "../postgres/rolePassword.ts";
import { literalSetting } from "./secretRules.ts";

interface AuthentikDatabaseArgs {
  readonly database: NonNullable<IdentityProvider["database"]>;
  readonly postgres: Postgres;
}

/** authentik's role and database on the platform's Postgres. */
export class AuthentikDatabase extends pulumi.ComponentResource {
  readonly name: pulumi.Output<string>;
  readonly user: pulumi.Output<string>;
  readonly password: pulumi.Output<string>;

  constructor(name: string, args: AuthentikDatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:AuthentikDatabase", name, {}, opts);
    const child = { parent: this, provider: args.postgres.provider };
    const field = "identity_provider.database.password";
    this.password = resolveRolePassword(args.database.password, field).apply((value) =>
      // A whole number is the same text again.
      /^(0|[1-9][0-9]*)$/.test(value) ? value : literalSetting(value, field),
    );
    const role = new postgresql.Role(
      `${name}-role`,
      { name: args.database.user, login: true, password: this.password },
      child,
    );
    const database = new postgresql.Database(
      `${name}-database`,
      { name: args.database.name, owner: role.name },
      { ...child, protect: isProtected(args.database, args.postgres.server) },
    );
    // Any login role could otherwise acquire the advisory locks that authentik waits for, and send its notifications. Another administrator than a
    // superuser is not the owner, cannot revoke this, and could not connect afterwards.
    if (args.postgres.server.superuser) {
      const privileges = { database: database.name, role: "public", objectType: "database", privileges: [] };
      // Kept after superuser: false, too: that administrator cannot change it.
      new postgresql.Grant(`${name}-public`, privileges, { ...child, retainOnDelete: true });
    }
    this.name = database.name;
    this.user = role.name;
    this.registerOutputs({ name: this.name });
  }
}
