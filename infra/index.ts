/** The Pulumi program: wiring and stack outputs, nothing else. */
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../config/settings.ts";
import { loadStack } from "../config/stack.ts";
import { DeployedAccess } from "./access/deployedAccess.ts";
import { Cluster } from "./cluster.ts";
import { type CatalogFiles, readCatalogFiles } from "./data/catalogFiles.ts";
import { DataApi } from "./data/dataApi.ts";
import { Gateway } from "./gateway/gateway.ts";
import { Authentik, refuseOtherServer } from "./identity/authentik.ts";
import { Identity } from "./identity/identity.ts";
import { Outposts } from "./identity/outposts.ts";
import { Observability } from "./observability/observability.ts";
import { computePlan } from "./plan/plan.ts";
import type { Plan } from "./plan/types.ts";
import { Postgres } from "./postgres.ts";
import { refuseWithoutPrerequisites } from "./prerequisites/prerequisites.ts";
import { readBundle } from "./verification/bundle.ts";
import { Verification } from "./verification/verification.ts";

/**
 * Deploys the selected stack. Exported as a function, so that the engine runs it both as the project's program (`pulumi up`) and inline
 * (the Automation API), as often as asked.
 * @param readCatalog reads the built catalog
 * @param readJob reads the built job of gatehouse:verification
 * @throws ConfigError with every problem of the configuration, Error for a catalog or job that is not built, for an existing identity provider
 *   of another release series, and for a cluster that lacks a prerequisite; all before the first resource is registered
 */
export default async function program(
  readCatalog: typeof readCatalogFiles = readCatalogFiles,
  readJob: typeof readBundle = readBundle,
): Promise<Record<string, pulumi.Input<unknown>>> {
  const settings = loadStack();
  const plan = computePlan(settings);
  const catalogFiles = settings.dataApi?.catalog && readCatalog(settings.dataApi, settings.stack);
  const { verification } = settings;
  const job = verification && { verification, bundle: readJob() };
  await refuseOtherServer(settings.identityProvider);
  await refuseWithoutPrerequisites(settings, plan);

  const resources: pulumi.Resource[] = [];
  pulumi.runtime.registerStackTransformation(({ resource }) => void resources.push(resource));
  const cluster = new Cluster("cluster", { context: settings.context });
  const postgres = settings.postgres && new Postgres("postgres", { server: settings.postgres, settings, cluster });
  const authentik = new Authentik("authentik", { settings, plan, cluster, postgres });
  const outposts = new Outposts("outposts", { settings, plan, cluster, installation: authentik.installation });
  const data = dataApi({ settings, plan, cluster, postgres, catalogFiles });
  const gateway = new Gateway("gateway", { settings, plan, cluster, outposts, dataNamespace: data?.namespace });
  const reachedThrough = gateway.identityProviderRoutes;
  const proof = job && new Verification("verification", { ...job, settings, plan, cluster });
  const namespaces = proof ? [proof.namespace] : [];
  const identity = new Identity("identity", {
    settings,
    plan,
    cluster,
    authentik,
    outposts,
    reachedThrough,
    namespaces,
  });
  const read = [identity, ...(postgres ? [postgres] : []), ...(data ? [data] : [])];
  const { observability } = settings;
  // After the components whose namespaces contain its policies.
  if (observability)
    new Observability("observability", { observability, settings, plan, cluster }, { dependsOn: read });

  new DeployedAccess("access", { plan, after: [...resources] });
  return {
    // No list of hosts: the engine prints all of a list when one entry changes.
    identityProvider: authentik.browserUrl,
    jwks: identity.jwksUrl,
  };
}

interface Backing {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly postgres: Postgres | undefined;
  readonly catalogFiles: CatalogFiles | undefined;
}

function dataApi({ settings, plan, cluster, postgres, catalogFiles }: Backing): DataApi | undefined {
  if (!settings.dataApi || !plan.data || !postgres) return undefined;
  const { dataApi, gateway } = settings;
  const { exposures, data } = plan;
  return new DataApi("data", { dataApi, gateway, plan: data, exposures, catalogFiles, cluster, postgres });
}
