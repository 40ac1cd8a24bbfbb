import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { PostgresServer, Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { DataPlan } from "../plan/types.ts";
import { clientsOf } from "./networkPolicy.ts";
import { type PostgresConnection, existing } from "./connection.ts";
import { writeRootCertificates } from "./certificateFile.ts";
import { Installation } from "./installation.ts";
import { resolveSecret } from "../secrets.ts";
import type { Servers } from "../servers.ts";

interface PostgresArgs {
  readonly server: PostgresServer;
  readonly settings: Settings;
  readonly cluster: Cluster;
  readonly servers: Servers;
}

/** The Postgres server that authentik and the data API share: an existing one, or one that the stack installs. */
export class Postgres extends pulumi.ComponentResource {
  /** Connects to the database `postgres`. */
  readonly provider: postgresql.Provider;
  readonly server: PostgresConnection;
  readonly #inputs: postgresql.ProviderArgs;
  readonly #connection: pulumi.Resource[];

  constructor(name: string, args: PostgresArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:infra:Postgres", name, {}, opts);
    const { server, cluster, servers } = args;
    const clients = clientsOf(args.settings);
    const { install, port, user, superuser, password, sslmode, sslrootcert } = server;
    const installation =
      install && new Installation(name, { server, install, cluster, clients, servers }, { parent: this });
    this.server = installation?.access ?? existing(server);
    const host = installation?.host ?? server.host;
    this.#inputs = {
      host,
      port,
      username: user,
      password: resolveSecret(password),
      sslmode,
      ...(!superuser && { superuser }),
      ...(sslrootcert !== undefined && { sslrootcert: writeRootCertificates(sslrootcert) }),
    };
    // A destroy deletes the objects in the server first, and then the resources that connections to it need.
    this.#connection = installation ? [...installation.connection] : [];
    this.provider = new postgresql.Provider(name, this.#inputs, { parent: this, dependsOn: this.#connection });
    this.registerOutputs({});
  }

  /**
   * Returns the provider of the data API's roles. That of an existing database connects to it: when it deletes a role, the administrator becomes the
   * owner of the role's objects in this database only. It is a separate one, because the database as an input of `provider` would change when
   * `data_api` is removed, before the engine deletes the roles.
   * @param name of the separate provider
   */
  providerOf(plan: DataPlan, name: string, parent: pulumi.Resource): postgresql.Provider {
    if (!plan.existing) return this.provider;
    const inputs = { ...this.#inputs, database: plan.database };
    return new postgresql.Provider(name, inputs, { parent, dependsOn: this.#connection });
  }
}
