import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider, Settings } from "../../config/settings.ts";
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

/**
 * Refuses an identity provider that is there already and of another line, before anything is registered. A preview asks nobody.
 * @throws as {@link waitUntilReady} does
 */
export async function refuseOtherServer({ install, url, apiUrl, token, version }: IdentityProvider): Promise<void> {
  if (install || url === undefined || pulumi.runtime.isDryRun()) return;
  const known = await new Promise<string>((resolve) => reveal(token).apply(resolve));
  await waitUntilReady(apiUrl ?? url, known, version);
}

/** The identity provider that the stack uses: one it installs (`install: true`), or one that is there already. */
export class Authentik extends pulumi.ComponentResource {
  /** Where a browser finds it: its origin on the first enabled domain. */
  readonly browserUrl: string;
  readonly token: pulumi.Output<string>;
  readonly installation: Installation | undefined;
  /** Where the gateway asks an outpost; 0 = the embedded one, which is all that an existing authentik has. */
  readonly outpostUrl: (number: number) => pulumi.Output<string>;
  readonly #apiUrl: string;
  readonly #version: string;

  constructor(name: string, args: AuthentikArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Authentik", name, {}, opts);
    const provider = args.settings.identityProvider;
    this.token = reveal(provider.token);
    this.browserUrl = onSomeDomain(args.plan.identityProviderUrl);
    this.#version = provider.version;
    this.#apiUrl = provider.apiUrl ?? this.browserUrl;
    if (provider.install) {
      const installation = new Installation(
        name,
        {
          provider,
          cluster: args.cluster,
          postgres: required(args.postgres),
          gateway: args.settings.gateway,
          outposts: args.plan.outposts,
        },
        { parent: this },
      );
      this.installation = installation;
      this.outpostUrl = (number) => installation.outpostUrl(number);
    } else {
      const existing = this.#existing(provider, args.cluster);
      this.outpostUrl = () => existing;
    }
    this.registerOutputs({ browserUrl: this.browserUrl });
  }

  /**
   * The API's address from the deploying machine, once it answers, as an existing one did to {@link refuseOtherServer}. Unknown until
   * then, so that a first preview needs no server.
   * @param dependencies what the address leads through, e.g. the route of the identity provider's own host
   */
  apiUrl(dependencies: readonly pulumi.CustomResource[]): pulumi.Output<string> {
    const waitFor = [...dependencies, ...(this.installation?.workloads ?? [])];
    const exist = pulumi.all(waitFor.map((resource) => resource.id));
    const answered = pulumi.all([this.token, exist]).apply(async ([token]) => {
      if (this.installation && !pulumi.runtime.isDryRun()) {
        await waitUntilReady(this.#apiUrl, token, this.#version);
      }
      return this.#apiUrl;
    });
    // The token only let us ask; the address is no secret.
    return pulumi.unsecret(answered);
  }

  /** The address of an existing one: its Service where it has one in this cluster, else its own URL. */
  #existing({ service, namespace }: IdentityProvider, cluster: Cluster): pulumi.Output<string> {
    if (!service) return pulumi.output(this.browserUrl);
    const found = k8s.core.v1.Service.get("identity-provider", `${namespace}/${service.name}`, {
      parent: this,
      provider: cluster.provider,
    });
    return pulumi.interpolate`http://${found.spec.clusterIP}:${service.port}`;
  }
}

function onSomeDomain(url: string | undefined): string {
  if (url === undefined) {
    throw new pulumi.RunError("the identity provider is on no domain; enable one under gatehouse:domains");
  }
  return url;
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
