import assert from "node:assert";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider, Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { serviceUrl } from "../clusterIp.ts";
import type { Plan } from "../plan/types.ts";
import type { Postgres } from "../postgres/postgres.ts";
import { resolveSecret } from "../secrets.ts";
import type { Servers } from "../servers.ts";
import { apiAddress } from "./apiAddress.ts";
import { FIRST_START_MINUTES } from "./containers.ts";
import type { Group } from "./groups.ts";
import { Installation } from "./installation.ts";
import { comparable } from "./secretRules.ts";

const FIRST_START_MS = FIRST_START_MINUTES * 60_000;
/** Maximum time until an existing server answers. */
const EXISTING_MS = 60_000;

interface AuthentikArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  /** Required when the stack installs authentik. */
  readonly postgres: Postgres | undefined;
  readonly servers: Servers;
}

/**
 * Refuses an existing identity provider whose API has no address here, that does not answer or is of another release series, before anything is
 * registered. A preview sends no request.
 * @throws as {@link apiAddress} and `waitUntilReady` do
 */
export async function refuseOtherServer(provider: IdentityProvider, servers: Servers): Promise<void> {
  const { install, url, apiUrl, token, version } = provider;
  if (install || url === undefined) return;
  await apiAddress(provider, url, servers.pluginsResolve);
  if (pulumi.runtime.isDryRun()) return;
  const known = await new Promise<string>((resolve) => resolveSecret(token).apply(resolve));
  await servers.waitUntilReady(apiUrl ?? url, known, { version, timeout: EXISTING_MS }, reporter(EXISTING_MS));
}

/** The identity provider of the stack: one that it installs (`install: true`), or an existing one. */
export class Authentik extends pulumi.ComponentResource {
  /** Origin as browsers see it. */
  readonly browserUrl: string;
  readonly token: pulumi.Output<string>;
  readonly installation: Installation | undefined;
  /** Address from inside the cluster, which outposts use. */
  readonly serverUrl: pulumi.Output<string>;
  readonly #apiUrl: pulumi.Output<string>;
  readonly #version: string;
  readonly #groups: readonly string[];
  readonly #servers: Servers;

  constructor(name: string, args: AuthentikArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Authentik", name, {}, opts);
    const { settings, cluster, servers } = args;
    const provider = settings.identityProvider;
    this.token = resolveSecret(provider.token).apply((value) => comparable(value, "identity_provider.token"));
    this.browserUrl = onSomeDomain(args.plan.identityProviderUrl);
    this.#version = provider.version;
    this.#groups = args.plan.createdGroups;
    this.#servers = servers;
    if (provider.install) {
      const { postgres } = args;
      assert(postgres, "gatehouse:postgres is missing");
      const installed = { provider, cluster, postgres, gateway: settings.gateway };
      this.installation = new Installation(name, installed, { parent: this });
      this.serverUrl = this.installation.url;
    } else {
      this.serverUrl = this.#existing(provider, cluster);
    }
    const stated = pulumi.output(apiAddress(provider, this.browserUrl, servers.pluginsResolve));
    this.#apiUrl = stated.apply((url) => (url === undefined ? this.serverUrl : pulumi.output(url)));
    this.registerOutputs({ browserUrl: this.browserUrl });
  }

  /**
   * Returns the API's address from the deploying machine, once everything exists that {@link lookUpDefaults} reads, the groups of the stack
   * included; an existing server was checked by {@link refuseOtherServer}. Unknown until then, so that a first preview needs no server.
   * @param dependencies what the address needs, e.g. the route of the identity provider's own host
   */
  apiUrl(dependencies: readonly pulumi.CustomResource[]): pulumi.Output<string> {
    const { installation } = this;
    const waitFor = [...dependencies, ...(installation?.workloads ?? [])];
    const exist = pulumi.all(waitFor.map((resource) => resource.id));
    const answered = pulumi.all([this.#apiUrl, this.token, exist]).apply(async ([url, token]) => {
      if ((installation || this.#groups.length > 0) && !pulumi.runtime.isDryRun()) {
        const timeout = installation ? FIRST_START_MS : EXISTING_MS;
        const expected = { version: this.#version, blueprint: installation?.blueprint, groups: this.#groups, timeout };
        await this.#servers.waitUntilReady(url, token, expected, reporter(timeout));
      }
      return url;
    });
    // Secret only because the wait uses the token; the address is not secret.
    return pulumi.unsecret(answered);
  }

  /** Returns a group as soon as the API's address is known; undefined if there is none. */
  group(url: pulumi.Output<string>, name: string): pulumi.Output<Group | undefined> {
    const group = pulumi
      .all([url, this.token])
      .apply(([address, token]) => this.#servers.findGroup(address, token, name));
    // Secret only because the lookup uses the token.
    return pulumi.unsecret(group);
  }

  /** Returns the address of an existing server: that of its Service if it has one in this cluster, else its own URL. */
  #existing({ service, namespace }: IdentityProvider, cluster: Cluster): pulumi.Output<string> {
    if (!service) return pulumi.output(this.browserUrl);
    const found = k8s.core.v1.Service.get("identity-provider", `${namespace}/${service.name}`, {
      parent: this,
      provider: cluster.provider,
    });
    return serviceUrl(found, service.port);
  }
}

/** Shows what is missing while the engine runs, and leaves it out of the summary. */
function reporter(timeout: number): (missing: string) => void {
  const limit = `${timeout / 60_000} min`;
  return (missing) =>
    void pulumi.log.info(`waiting for authentik, up to ${limit}: ${missing}`, undefined, undefined, true);
}

function onSomeDomain(url: string | undefined): string {
  if (url === undefined) {
    throw new pulumi.RunError("the identity provider is on no domain; enable one under gatehouse:domains");
  }
  return url;
}
