import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import type { Outposts } from "../identity/outposts.ts";
import type { Plan, Route } from "../plan/types.ts";
import { ClusterDns } from "./clusterDns.ts";
import { Echo } from "./echo.ts";
import { registerMiddleware } from "./middlewares.ts";
import { registerRecords } from "./records.ts";
import { routeSpec, traefikServiceSpec } from "./specs.ts";
import { traefikObject } from "./traefikObject.ts";

interface GatewayArgs {
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
  readonly #args: GatewayArgs;
  /** What routes refer to in their namespace. */
  readonly #middlewares: ReadonlyMap<string, pulumi.Resource>;
  readonly #services: ReadonlyMap<string, pulumi.Resource>;

  constructor(name: string, args: GatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Gateway", name, {}, opts);
    const { settings, plan, cluster } = args;
    const child = { parent: this, provider: cluster.provider };
    this.#args = args;
    this.#middlewares = this.#registerMiddlewares(args);
    this.#services = this.#registerServices(args);
    this.identityProviderRoutes = this.#routesOf(true).map((route) => this.#registerRoute(route, []));
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
  }

  /**
   * Registers the routes of all other hosts. Without its binding an application of the identity provider admits every user, so the route
   * of a service that signs users in itself follows it: no user comes back from the sign-in to the service before.
   * @param applications in the identity provider, with their bindings, by service
   */
  registerRoutes(applications: ReadonlyMap<string, readonly pulumi.Resource[]>): void {
    const services = new Map(
      this.#args.plan.exposures.filter(({ role }) => role === "service").map(({ id, service }) => [id, service]),
    );
    for (const route of this.#routesOf(false)) {
      const served = new Set(route.rules.map(({ exposure }) => services.get(exposure) ?? ""));
      const needed = [...served].flatMap((service) => applications.get(service) ?? []);
      this.#registerRoute(route, needed);
    }
    this.registerOutputs({});
  }

  /** Returns the routes of the plan. @param ofIdentityProvider whether those of the identity provider's own host, or the others */
  #routesOf(ofIdentityProvider: boolean): Route[] {
    const { exposures, routes } = this.#args.plan;
    const own = new Set(exposures.filter(({ role }) => role === "identity-provider").map(({ id }) => id));
    return routes.filter(({ rules }) => rules.some(({ exposure }) => own.has(exposure)) === ofIdentityProvider);
  }

  #registerMiddlewares({ settings, plan, outposts }: GatewayArgs): Map<string, pulumi.Resource> {
    const outpostUrl = (outpost: string): pulumi.Output<string> => outposts.url(outpost);
    return new Map(
      plan.middlewares.map((middleware) => {
        const name = `${middleware.namespace}/${middleware.name}`;
        const options = this.#after(middleware.namespace, []);
        return [name, registerMiddleware(name, { middleware, outpostUrl, services: settings.services }, options)];
      }),
    );
  }

  #registerServices({ plan }: GatewayArgs): Map<string, pulumi.Resource> {
    return new Map(
      plan.traefikServices.map((service) => {
        const { namespace, name } = service;
        const options = this.#after(namespace, this.#middlewaresOf(namespace, service.middlewares));
        const object = { kind: "TraefikService", name, namespace, spec: traefikServiceSpec(service) } as const;
        return [`${namespace}/${name}`, traefikObject(`${name}-traefik-service`, object, options)];
      }),
    );
  }

  #middlewaresOf(namespace: string, names: readonly string[]): pulumi.Resource[] {
    return names.flatMap((middleware) => this.#middlewares.get(`${namespace}/${middleware}`) ?? []);
  }

  #registerRoute(route: Route, applications: readonly pulumi.Resource[]): k8s.apiextensions.CustomResource {
    const { name, namespace, rules } = route;
    const named = new Set(rules.flatMap((rule) => rule.middlewares));
    const behind = new Set(rules.flatMap((rule) => this.#services.get(`${namespace}/${rule.traefikService}`) ?? []));
    const needed = [...this.#middlewaresOf(namespace, [...named]), ...behind, ...applications];
    const object = { kind: "IngressRoute", name, namespace, spec: routeSpec(route) } as const;
    return traefikObject(`${name}-route`, object, this.#after(namespace, needed));
  }

  /** Returns the options of an object whose namespace this program may create: the namespace must exist first. */
  #after(namespace: string, needed: readonly pulumi.Resource[]): pulumi.CustomResourceOptions {
    const { settings, cluster, outposts, dataNamespace } = this.#args;
    const { namespaceName, namespaceResource } = outposts;
    const owners = [
      ...(namespaceResource && namespaceName === namespace ? [namespaceResource] : []),
      ...(dataNamespace && settings.dataApi?.namespace === namespace ? [dataNamespace] : []),
    ];
    return { parent: this, provider: cluster.provider, dependsOn: [...owners, ...needed] };
  }
}
