import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Route, RouteRule } from "../plan/types.ts";
import { TRAEFIK_API } from "./middlewares.ts";

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
      spec: { entryPoints: [route.entryPoint], routes: route.rules.map(traefikRule), ...tls(route) },
    },
    opts,
  );
}

function traefikRule({ match, priority, middlewares, backend }: RouteRule): Record<string, unknown> {
  return {
    kind: "Rule",
    match,
    priority,
    middlewares: middlewares.map((name) => ({ name })),
    services: [{ name: backend.name, namespace: backend.namespace, port: backend.port, nativeLB: true }],
  };
}

function tls({ tls }: Route): { tls?: Record<string, string> } {
  switch (tls?.ends) {
    case undefined:
    case "upstream":
      return {};
    case "default":
      return { tls: {} };
    case "resolver":
      return { tls: { certResolver: tls.name } };
    case "secret":
      return { tls: { secretName: tls.name } };
  }
}
