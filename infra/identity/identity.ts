import * as authentik from "#authentik";
import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { isForwarded } from "../plan/exposure.ts";
import type { Plan } from "../plan/types.ts";
import { GroupAccess } from "./groupAccess.ts";
import type { Authentik } from "./authentik.ts";
import { type Defaults, lookUpDefaults } from "./defaults.ts";
import { IdentityToken } from "./identityToken.ts";
import { Machine } from "./machine.ts";
import { registerOAuthProvider } from "./oauthProvider.ts";
import { Outpost } from "./outpost.ts";
import type { Outposts } from "./outposts.ts";
import { type ProxyProvider, registerProxyProvider } from "./proxyProvider.ts";

interface IdentityArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly authentik: Authentik;
  readonly outposts: Outposts;
  /** Resources that must exist before the API can be called, e.g. the route of its host. */
  readonly reachedThrough: readonly pulumi.CustomResource[];
  /** Namespaces that the stack creates for machines; their Secrets depend on them. */
  readonly namespaces: readonly k8s.core.v1.Namespace[];
}

/** Arguments that the parts of {@link Identity} share. */
interface Shared extends IdentityArgs {
  readonly provider: authentik.Provider;
  readonly defaults: Defaults;
  readonly access: GroupAccess;
  readonly child: pulumi.ComponentResourceOptions;
  /** Options of an object of authentik that is in no other component. */
  readonly object: pulumi.CustomResourceOptions;
}

/** The objects in authentik: groups, users, applications, providers, and their outposts. */
export class Identity extends pulumi.ComponentResource {
  /** Where an application finds the keys that verify `X-idp-jwt`. */
  readonly jwksUrl: pulumi.Output<string>;
  /** Applications that sign users in themselves, with their bindings, by service. */
  readonly applications: ReadonlyMap<string, readonly pulumi.Resource[]>;

  constructor(name: string, args: IdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Identity", name, {}, opts);
    const { settings, plan } = args;
    const url = args.authentik.apiUrl(args.reachedThrough);
    const provider = new authentik.Provider(
      "authentik",
      { url, token: args.authentik.token },
      // The engine writes the SDK's version on the first run and the base plugin's on the second, which no later run should show as a
      // change; which provider runs is decided by the SDK's parameterization, not by this.
      { parent: this, ignoreChanges: ["version"] },
    );
    const child = { parent: this, providers: [provider] };
    const defaults = lookUpDefaults(provider, (api, group) => args.authentik.group(api, group));
    const { identityProvider } = settings;
    const access = new GroupAccess(`${name}-access`, { plan, identityProvider, defaults }, child);
    const issuer = args.authentik.browserUrl;
    const token = new IdentityToken(`${name}-token`, { defaults, issuer, slug: plan.identitySlug }, child);

    const shared = { ...args, provider, defaults, access, child, object: { parent: this, provider } };
    const providers = proxyProviders(shared, token.mapping);
    outposts(shared, providers);
    this.applications = oauthProviders(shared);
    for (const account of identityProvider.serviceAccounts) {
      const { cluster, namespaces } = args;
      new Machine(`machine-${account.name}`, { account, access, cluster, namespaces, providers, issuer }, child);
    }
    this.jwksUrl = token.jwksUrl;
    this.registerOutputs({ jwksUrl: this.jwksUrl });
  }
}

function outposts({ settings, plan, authentik, outposts, provider, child }: Shared, providers: ProxyProvider[]): void {
  const { version } = settings.identityProvider;
  const { serverUrl, browserUrl } = authentik;
  for (const outpost of plan.outposts) {
    const served = providers.filter(({ exposure }) => exposure.outpost === outpost.name);
    const args = { outpost, version, providers: served, outposts, authentik: provider, serverUrl, browserUrl };
    new Outpost(outpost.name, args, child);
  }
}

function proxyProviders({ plan, defaults, access, object }: Shared, mapping: pulumi.Output<string>): ProxyProvider[] {
  return plan.exposures
    .filter(isForwarded)
    .map((exposure) => registerProxyProvider({ exposure, defaults, access, mapping }, object));
}

function oauthProviders(shared: Shared): Map<string, pulumi.Resource[]> {
  const { settings, plan, cluster, authentik, defaults, access, object } = shared;
  const clients = new Map(plan.clients.map((client) => [client.service, client]));
  const issuer = authentik.browserUrl;
  return new Map(
    settings.services.flatMap((service) => {
      const client = clients.get(service.name);
      if (!client || !("oauthConfig" in service)) return [];
      return [[service.name, registerOAuthProvider({ client, service, defaults, access, cluster, issuer }, object)]];
    }),
  );
}
