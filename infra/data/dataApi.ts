import * as pulumi from "@pulumi/pulumi";
import type { DataApi as DataApiSettings, PostgresServer } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { DataPlan, Exposure } from "../plan/types.ts";
import type { Postgres } from "../postgres.ts";
import { Database } from "./database.ts";
import { Grants } from "./grants.ts";
import { Migrations } from "./migrations.ts";
import { Postgrest } from "./postgrest.ts";

export interface DataApiArgs {
  readonly dataApi: DataApiSettings;
  readonly plan: DataPlan;
  /** All exposures; the data API's own say under which address it describes itself. */
  readonly exposures: readonly Exposure[];
  readonly cluster: Cluster;
  readonly postgres: Postgres;
}

/** The public read-only API: database, roles and schemas, what the provider cannot express as SQL, grants, and PostgREST over it. */
export class DataApi extends pulumi.ComponentResource {
  constructor(name: string, args: DataApiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:DataApi", name, {}, opts);
    const { dataApi, plan, cluster } = args;
    const server: PostgresServer = args.postgres.server;
    const child = { parent: this, providers: [args.postgres.provider, cluster.provider] };

    const namespace = cluster.namespace(dataApi.namespace, this);
    const database = new Database(`${name}-database`, { dataApi, plan }, child);
    const migrations = new Migrations(
      `${name}-migrations`,
      { namespace, server, database: database.name },
      { ...child, dependsOn: [database] },
    );
    // After the migrations: a grant on all functions of a schema reaches those that exist.
    const grants = new Grants(
      `${name}-grants`,
      { plan, database: database.name },
      { ...child, dependsOn: [migrations] },
    );
    new Postgrest(
      `${name}-postgrest`,
      { dataApi, server, namespace, database: database.name, publicUrl: publicUrl(args.exposures) },
      { ...child, dependsOn: [grants] },
    );
    this.registerOutputs({});
  }
}

function publicUrl(exposures: readonly Exposure[]): string | undefined {
  return exposures.find(({ role }) => role === "data-api")?.url;
}
