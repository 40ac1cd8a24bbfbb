import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { Outposts } from "../identity/outposts.ts";
import type { Plan } from "../plan/types.ts";
import { ClusterDns } from "./clusterDns.ts";
import { Echo } from "./echo.ts";
import { registerMiddleware } from "./middlewares.ts";
import { registerRecords } from "./records.ts";
import { ingressRoute } from "./route.ts";
import { traefikService } from "./traefikService.ts";

export interface GatewayArgs {
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly outposts: Outposts;
  /** The namespace of the data API; undefined without one. */
  readonly dataNamespace: k8s.core.v1.Namespace | undefined;
}

/** Everything that Gatehouse keeps in the cluster for routing: middlewares, routes, domain records and the echo service. */
export class Gateway extends pulumi.ComponentResource {
  /** The route of the identity provider's own host; its API is reached through it. */
  readonly identityProviderRoutes: readonly k8s.apiextensions.CustomResource[];

  constructor(name: string, args: GatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Gateway", name, {}, opts);
    const { settings, plan, cluster } = args;
    const child = { parent: this, provider: cluster.provider };
    this.identityProviderRoutes = this.#routes(args);
    for (const records of plan.records) {
      registerRecords(`${name}-records-${records.domain}`, records, child);
    }
    const local = settings.domains.find(({ kind, enabled }) => kind === "localhost" && enabled);
    if (local) {
      new ClusterDns(`${name}-cluster-dns`, { baseDomain: local.baseDomain, gateway: settings.gateway }, child);
    }
    if (settings.testEnvironments.enabled && settings.testEnvironments.install) {
      const { backend } = settings.testEnvironments;
      new Echo(`${name}-echo`, { backend, gateway: settings.gateway }, child);
    }
    this.registerOutputs({});
  }

  /** @returns those of the identity provider's own host */
  #routes(args: GatewayArgs): k8s.apiextensions.CustomResource[] {
    const { settings, plan, outposts } = args;
    const outpostUrl = (outpost: string): pulumi.Output<string> => outposts.url(outpost);
    const middlewares = new Map(
      plan.middlewares.map((middleware) => {
        const name = `${middleware.namespace}/${middleware.name}`;
        const options = this.#after(args, middleware.namespace, []);
        return [name, registerMiddleware(name, { middleware, outpostUrl, services: settings.services }, options)];
      }),
    );
    const middlewaresOf = (namespace: string, names: readonly string[]) =>
      names.flatMap((middleware) => middlewares.get(`${namespace}/${middleware}`) ?? []);
    const services = new Map(
      plan.traefikServices.map((service) => {
        const { namespace, name } = service;
        const options = this.#after(args, namespace, middlewaresOf(namespace, service.middlewares));
        return [`${namespace}/${name}`, traefikService(service, options)];
      }),
    );
    const ofIdentityProvider = new Set(
      plan.exposures.filter(({ role }) => role === "identity-provider").map(({ id }) => id),
    );
    return plan.routes.flatMap((route) => {
      const { namespace, rules } = route;
      const named = new Set(rules.flatMap((rule) => rule.middlewares));
      const behind = new Set(rules.flatMap((rule) => services.get(`${namespace}/${rule.traefikService}`) ?? []));
      const options = this.#after(args, namespace, [...middlewaresOf(namespace, [...named]), ...behind]);
      const deployed = ingressRoute(route, options);
      return rules.some(({ exposure }) => ofIdentityProvider.has(exposure)) ? [deployed] : [];
    });
  }

  /** Options for what lives in a namespace that this program may create: it must exist first. */
  #after(
    { settings, cluster, outposts, dataNamespace }: GatewayArgs,
    namespace: string,
    needed: readonly pulumi.Resource[],
  ): pulumi.CustomResourceOptions {
    const { namespaceName, namespaceResource } = outposts;
    const owners = [
      ...(namespaceResource && namespaceName === namespace ? [namespaceResource] : []),
      ...(dataNamespace && settings.dataApi?.namespace === namespace ? [dataNamespace] : []),
    ];
    return { parent: this, provider: cluster.provider, dependsOn: [...owners, ...needed] };
  }
}
