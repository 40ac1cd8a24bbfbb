import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { PostgresServer } from "../config/settings.ts";
import { reveal } from "./secrets.ts";

export interface PostgresArgs {
  readonly server: PostgresServer;
}

/** The Postgres server that authentik and the data API share, as its administrator sees it. */
export class Postgres extends pulumi.ComponentResource {
  readonly provider: postgresql.Provider;
  readonly server: PostgresServer;

  constructor(name: string, args: PostgresArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:infra:Postgres", name, {}, opts);
    this.server = args.server;
    const { host, port, user, sslmode } = args.server;
    this.provider = new postgresql.Provider(
      name,
      { host, port, username: user, password: reveal(args.server.password), sslmode },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
