import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { Plan } from "../plan/types.ts";
import type { Postgres } from "../postgres.ts";
import { reveal } from "../secrets.ts";
import { Installation } from "./installation.ts";
import { waitUntilReady } from "./readiness.ts";

export interface AuthentikArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  /** Required when the stack installs authentik. */
  readonly postgres: Postgres | undefined;
}

/** The identity provider that the stack uses: one it installs (`install: true`), or one that is there already. */
export class Authentik extends pulumi.ComponentResource {
  /** Where a browser finds it: its origin on the first enabled domain. */
  readonly browserUrl: string;
  /** Where calls from inside the cluster find it: the gateway's forward auth. */
  readonly clusterUrl: pulumi.Output<string>;
  readonly token: pulumi.Output<string>;
  readonly installation: Installation | undefined;
  readonly #apiUrl: string;

  constructor(name: string, args: AuthentikArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Authentik", name, {}, opts);
    const provider = args.settings.identityProvider;
    this.token = reveal(provider.token);
    this.browserUrl = provider.url ?? originOf(args.plan);
    this.#apiUrl = provider.apiUrl ?? this.browserUrl;
    if (provider.install) {
      this.installation = new Installation(
        name,
        { provider, cluster: args.cluster, postgres: required(args.postgres) },
        { parent: this },
      );
    }
    this.clusterUrl = this.installation?.url ?? pulumi.output(this.browserUrl);
    this.registerOutputs({ browserUrl: this.browserUrl });
  }

  /**
   * The API's address from the deploying machine, once it answers. Unknown until then, so that a first preview needs no server.
   * @param dependencies what the address leads through, e.g. the route of the identity provider's own host
   */
  apiUrl(dependencies: readonly pulumi.CustomResource[]): pulumi.Output<string> {
    const waitFor = [...dependencies, ...(this.installation?.workloads ?? [])];
    const exist = pulumi.all(waitFor.map((resource) => resource.id));
    const answered = pulumi.all([this.token, exist]).apply(async ([token]) => {
      if (!pulumi.runtime.isDryRun()) {
        await waitUntilReady(this.#apiUrl, token);
      }
      return this.#apiUrl;
    });
    // The token only let us ask; the address is no secret.
    return pulumi.unsecret(answered);
  }
}

function originOf(plan: Plan): string {
  const exposure = plan.exposures.find(({ role }) => role === "identity-provider");
  if (!exposure) {
    throw new pulumi.RunError("the identity provider is on no domain; enable one under gatehouse:domains");
  }
  return exposure.url;
}

function required(postgres: Postgres | undefined): Postgres {
  if (!postgres) {
    throw new pulumi.InputPropertyError({
      propertyPath: "postgres",
      reason: "installing authentik needs gatehouse:postgres",
    });
  }
  return postgres;
}
