import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { mostReachable } from "../../config/sections/domains/domainKinds.ts";
import type { DataApi as DataApiSettings, TraefikGateway } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { DataPlan, Exposure } from "../plan/types.ts";
import { isProtected } from "../postgres/connection.ts";
import { mountedCertificates } from "../postgres/rootCertificates.ts";
import type { Postgres } from "../postgres/postgres.ts";
import { Catalog } from "./catalog.ts";
import type { CatalogFiles } from "./catalogFiles.ts";
import { Database } from "./database.ts";
import { Grants } from "./grants.ts";
import { Migrations } from "./migrations.ts";
import { Postgrest } from "./postgrest.ts";

interface DataApiArgs {
  readonly dataApi: DataApiSettings;
  readonly gateway: TraefikGateway;
  readonly plan: DataPlan;
  /** All exposures; those of the data API contain the address in its description. */
  readonly exposures: readonly Exposure[];
  /** Of a stack with a catalog. */
  readonly catalogFiles: CatalogFiles | undefined;
  readonly cluster: Cluster;
  readonly postgres: Postgres;
}

/** The public read-only API: database, roles and schemas, what the provider cannot express as SQL, grants, PostgREST over it, and its catalog. */
export class DataApi extends pulumi.ComponentResource {
  readonly namespace: k8s.core.v1.Namespace;

  constructor(name: string, args: DataApiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:DataApi", name, {}, opts);
    const { dataApi, gateway, plan, exposures, catalogFiles: files, cluster, postgres } = args;
    const { server } = postgres;
    const provider = postgres.providerOf(plan, `${name}-postgres`, this);
    const child = { parent: this, providers: [provider, cluster.provider] };

    const namespace = cluster.namespace(dataApi.namespace, this);
    this.namespace = namespace;
    const certificates = mountedCertificates(name, server, namespace, { parent: this, provider: cluster.provider });
    const database = new Database(`${name}-database`, { dataApi, plan, protect: isProtected(dataApi, server) }, child);
    const migrations = new Migrations(
      `${name}-migrations`,
      { plan, namespace, server, certificates, database: database.name },
      { ...child, dependsOn: [database] },
    );
    // After the migrations: a grant on all functions of a schema reaches those that exist. In an existing database the migrations also grant,
    // since the provider stops at the first relation of a role for which the administrator cannot act.
    const grants = plan.existing
      ? migrations
      : new Grants(`${name}-grants`, { plan, database: database.name }, { ...child, dependsOn: [migrations] });
    const reached = publicUrl(exposures);
    new Postgrest(
      `${name}-postgrest`,
      { dataApi, gateway, server, certificates, namespace, database: database.name, publicUrl: reached },
      { ...child, dependsOn: [grants] },
    );
    const { catalog } = dataApi;
    // Exposed nowhere, there is nothing to show it on.
    if (catalog && files && reached !== undefined) {
      const shared = { catalog, gateway, namespace, exposures, publicUrl: reached, limits: dataApi.limits, files };
      new Catalog(`${name}-catalog`, shared, child);
    }
    this.registerOutputs({});
  }
}

/** Returns the address that most clients can reach: a document has one, and the gateway serves it on every domain. */
export function publicUrl(exposures: readonly Exposure[]): string | undefined {
  const own = exposures.filter(({ role }) => role === "data-api");
  const reachable = mostReachable(own.map(({ domain }) => domain));
  return own.find(({ domain }) => domain === reachable)?.url;
}
