import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { Authentik } from "../identity/authentik.ts";
import type { Plan } from "../plan/types.ts";
import { Echo } from "./echo.ts";
import { Middlewares } from "./middlewares.ts";
import { DomainRecords } from "./records.ts";
import { ServiceRoute } from "./route.ts";

export interface GatewayArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly authentik: Authentik;
}

/** Everything that Gatehouse keeps in the cluster for routing: middlewares, routes, domain records and the echo service. */
export class Gateway extends pulumi.ComponentResource {
  /** The route of the identity provider's own host; its API is reached through it. */
  readonly identityProviderRoutes: readonly k8s.apiextensions.CustomResource[];

  constructor(name: string, args: GatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Gateway", name, {}, opts);
    const { settings, plan, cluster } = args;
    const child = { parent: this, provider: cluster.provider };

    const namespaces = new Set(plan.routes.map((route) => route.namespace));
    const middlewares = new Map(
      [...namespaces].map((namespace) => [
        namespace,
        new Middlewares(`${name}-${namespace}`, { namespace, authentik: args.authentik }, this.#after(args, namespace)),
      ]),
    );
    const routes = plan.routes.map((route) => ({
      route,
      resource: new ServiceRoute(
        route.name,
        { route, middlewares: middlewares.get(route.namespace), services: settings.services },
        this.#after(args, route.namespace),
      ),
    }));
    for (const records of plan.records) {
      new DomainRecords(`${name}-records-${records.domain}`, { records }, child);
    }
    if (settings.testEnvironments.enabled && settings.testEnvironments.install) {
      new Echo(`${name}-echo`, { backend: settings.testEnvironments.backend }, child);
    }

    const ofIdentityProvider = new Set(
      plan.exposures.filter(({ role }) => role === "identity-provider").map(({ id }) => id),
    );
    this.identityProviderRoutes = routes
      .filter(({ route }) => route.rules.some(({ exposure }) => ofIdentityProvider.has(exposure)))
      .map(({ resource }) => resource.ingressRoute);
    this.registerOutputs({});
  }

  /** Options for what lives in a namespace that this program creates: it must exist first. */
  #after({ cluster, authentik }: GatewayArgs, namespace: string): pulumi.ComponentResourceOptions {
    const owner = authentik.installation?.namespaceName === namespace ? [authentik.installation.namespace] : [];
    return { parent: this, provider: cluster.provider, dependsOn: owner };
  }
}
