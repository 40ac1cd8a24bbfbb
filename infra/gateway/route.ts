import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Route } from "../plan/types.ts";
import { routeSpec, TRAEFIK_API } from "./specs.ts";

/**
 * Registers one route of the plan.
 * @param opts `dependsOn` the middlewares: a route whose middleware is missing answers 404, so nothing is served half protected
 */
export function ingressRoute(route: Route, opts: pulumi.CustomResourceOptions): k8s.apiextensions.CustomResource {
  return new k8s.apiextensions.CustomResource(
    `${route.name}-route`,
    {
      apiVersion: TRAEFIK_API,
      kind: "IngressRoute",
      metadata: { name: route.name, namespace: route.namespace },
      spec: routeSpec(route),
    },
    opts,
  );
}
