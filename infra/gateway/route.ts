import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Service } from "../../config/settings.ts";
import type { Route, RouteRule } from "../plan/types.ts";
import { BasicAuth } from "./basicAuth.ts";
import { FORWARD_AUTH, type Middlewares, STRIP, TRAEFIK_API } from "./middlewares.ts";

export interface ServiceRouteArgs {
  readonly route: Route;
  /** The shared middlewares of the route's namespace. */
  readonly middlewares: Middlewares | undefined;
  /** Where the credentials of a basic service are found. */
  readonly services: readonly Service[];
}

/** One service's IngressRoute, with its middlewares in a fixed order: strip first, then authentication. */
export class ServiceRoute extends pulumi.ComponentResource {
  readonly ingressRoute: k8s.apiextensions.CustomResource;

  constructor(name: string, args: ServiceRouteArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:ServiceRoute", name, {}, opts);
    const { route } = args;
    const service = args.services.find((candidate) => candidate.name === route.service);
    const basicAuth =
      service?.type === "basic"
        ? new BasicAuth(`${name}-basic-auth`, { service, namespace: route.namespace }, { parent: this })
        : undefined;

    this.ingressRoute = new k8s.apiextensions.CustomResource(
      `${name}-route`,
      {
        apiVersion: TRAEFIK_API,
        kind: "IngressRoute",
        metadata: { name: route.name, namespace: route.namespace },
        spec: {
          entryPoints: entryPoints(route),
          routes: route.rules.map((rule) => traefikRule(rule, basicAuth)),
          ...(route.rules.some(({ tls }) => tls) ? { tls: {} } : {}),
        },
      },
      // A route whose middleware is missing answers 404, so it waits: nothing is served half protected, nothing flickers.
      { parent: this, dependsOn: [args.middlewares, basicAuth].filter((resource) => resource !== undefined) },
    );
    this.registerOutputs({});
  }
}

function entryPoints(route: Route): string[] {
  const names = route.rules.map(({ tls }) => (tls ? "websecure" : "web"));
  return [...new Set(names)].sort();
}

function traefikRule(rule: RouteRule, basicAuth: BasicAuth | undefined): Record<string, unknown> {
  return {
    kind: "Rule",
    match: rule.match,
    priority: rule.priority,
    middlewares: middlewareNames(rule, basicAuth).map((name) => ({ name })),
    services: [{ name: rule.backend.name, namespace: rule.backend.namespace, port: rule.backend.port, nativeLB: true }],
  };
}

function middlewareNames(rule: RouteRule, basicAuth: BasicAuth | undefined): string[] {
  switch (rule.authentication) {
    case "none":
      return [STRIP];
    case "forward-auth":
      return [STRIP, FORWARD_AUTH];
    case "basic-auth":
      if (!basicAuth) {
        throw new pulumi.InputPropertyError({
          propertyPath: "services",
          reason: `no basic service has the exposure "${rule.exposure}"`,
        });
      }
      return [STRIP, basicAuth.middlewareName];
  }
}
