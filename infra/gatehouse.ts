import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../config/settings.ts";
import { loadStack } from "../config/stack.ts";
import { errorText } from "../config/errors/errorText.ts";
import { accessOf } from "./access/access.ts";
import { DeployedAccess } from "./access/deployedAccess.ts";
import { PlannedAccess } from "./access/plannedAccess.ts";
import { recordOf } from "./access/record.ts";
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
import { Postgres } from "./postgres/postgres.ts";
import { withContext } from "./prerequisites/clusterIdentity.ts";
import { refuseWithoutPrerequisites } from "./prerequisites/prerequisites.ts";
import { type Servers, SERVERS } from "./servers.ts";
import { type Bundle, readBundle } from "./verification/bundle.ts";
import { Verification } from "./verification/verification.ts";

export interface GatehouseArgs {
  /** Reads the built catalog. Default: that of the package. */
  readonly readCatalog?: typeof readCatalogFiles;
  /** Reads the built job of gatehouse:verification. Default: that of the package. */
  readonly readJob?: typeof readBundle;
  /** Requests to running servers. Default: to the servers themselves. */
  readonly servers?: Servers;
}

/** Inputs that are read before the first resource is registered. */
interface Inputs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly catalogFiles: CatalogFiles | undefined;
  readonly bundle: Bundle | undefined;
  readonly servers: Servers;
}

interface Outputs {
  readonly identityProvider: string;
  readonly jwks: pulumi.Output<string>;
}

/**
 * Deploys everything that the configuration of the stack describes (`gatehouse:*` in `Pulumi.<stack>.yaml`): gateway, identity provider, data API.
 * A stack has one.
 */
export class Gatehouse extends pulumi.ComponentResource<Outputs> {
  /** Origin of the identity provider, as browsers see it. */
  readonly identityProvider: pulumi.Output<string>;
  /** Address of the keys with which an application verifies `X-idp-jwt`. */
  readonly jwks: pulumi.Output<string>;
  readonly #inputs: Inputs;
  /** This component and everything in it. */
  readonly #resources: readonly pulumi.Resource[];

  /**
   * The program also fails for an existing identity provider of another release series, and for a cluster that lacks a prerequisite, before
   * it registers a resource in this component.
   * @throws ConfigError with every problem of the configuration, Error for a catalog or job that is not built
   */
  constructor(name: string, args: GatehouseArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    const inputs = readInputs(args);
    const resources: pulumi.Resource[] = [];
    const record: pulumi.ResourceTransformation = ({ resource }) => void resources.push(resource);
    const transformations = [...(opts.transformations ?? []), record];
    super("gatehouse:index:Gatehouse", name, {}, { ...opts, transformations });
    this.#inputs = inputs;
    this.#resources = resources;
    const outputs = pulumi.output(this.getData());
    this.identityProvider = outputs.identityProvider;
    this.jwks = outputs.jwks;
  }

  /**
   * Reads the cluster and the identity provider, and registers all resources. These reads are asynchronous, so they cannot be in the constructor.
   * Pulumi calls this method in the constructor of the base class. It ends a program that has no open RPC, and the reads are none of Pulumi's:
   * `rpcKeepAlive` counts as an open RPC until all resources are registered.
   */
  protected override async initialize(): Promise<Outputs> {
    const done = pulumi.runtime.rpcKeepAlive();
    try {
      // Pulumi calls this method before the constructor has set the private fields.
      await Promise.resolve();
      const { plan, servers } = this.#inputs;
      const settings = await withContext(this.#inputs.settings, process.env);
      await refuseOtherServer(settings.identityProvider, servers);
      const uid = await refuseWithoutPrerequisites(settings, plan, pulumi.runtime.isDryRun(), servers.clusterFacts);
      const record = recordOf(accessOf(plan));
      const planned = new PlannedAccess(record, { parent: this });
      await new Promise((resolve) => planned.urn.apply(resolve));
      const outputs = register({ ...this.#inputs, settings }, uid, this);
      new DeployedAccess("access", { record, after: [...this.#resources] }, { parent: this });
      return outputs;
    } catch (error) {
      // Pulumi prints the message of it, and of any other error the stack as well.
      throw pulumi.RunError.isInstance(error) ? error : new pulumi.RunError(errorText(error));
    } finally {
      done();
    }
  }
}

function readInputs({
  readCatalog = readCatalogFiles,
  readJob = readBundle,
  servers = SERVERS,
}: GatehouseArgs): Inputs {
  const settings = loadStack();
  const { dataApi, verification, stack } = settings;
  return {
    settings,
    plan: computePlan(settings),
    catalogFiles: dataApi?.catalog && readCatalog(dataApi, stack),
    bundle: verification && readJob(),
    servers,
  };
}

/** Registers the components: wiring, nothing else. */
function register(
  { settings, plan, catalogFiles, bundle, servers }: Inputs,
  uid: string | undefined,
  parent: Gatehouse,
): Outputs {
  const child = { parent };
  const cluster = new Cluster("cluster", { ...settings, uid }, child);
  const postgres =
    settings.postgres && new Postgres("postgres", { server: settings.postgres, settings, cluster, servers }, child);
  const authentik = new Authentik("authentik", { settings, plan, cluster, postgres, servers }, child);
  const { installation } = authentik;
  const outposts = new Outposts("outposts", { settings, plan, cluster, installation }, child);
  const { dataApi, gateway: traefik, observability, verification } = settings;
  const data =
    dataApi && plan.data && postgres
      ? new DataApi(
          "data",
          { dataApi, gateway: traefik, plan: plan.data, exposures: plan.exposures, catalogFiles, cluster, postgres },
          child,
        )
      : undefined;
  const gateway = new Gateway("gateway", { settings, plan, cluster, outposts, dataNamespace: data?.namespace }, child);
  const job =
    verification &&
    bundle &&
    new Verification("verification", { verification, bundle, settings, plan, cluster }, child);
  const identity = new Identity(
    "identity",
    {
      settings,
      plan,
      cluster,
      authentik,
      outposts,
      reachedThrough: gateway.identityProviderRoutes,
      namespaces: job ? [job.namespace] : [],
    },
    child,
  );
  gateway.registerRoutes(identity.applications);
  // After the components whose namespaces contain its policies.
  const dependsOn = [identity, ...(postgres ? [postgres] : []), ...(data ? [data] : [])];
  if (observability)
    new Observability("observability", { observability, settings, plan, cluster }, { ...child, dependsOn });
  return { identityProvider: authentik.browserUrl, jwks: identity.jwksUrl };
}
