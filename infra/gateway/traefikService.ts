import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { TraefikService } from "../plan/types.ts";
import { TRAEFIK_API, traefikServiceSpec } from "./specs.ts";

/**
 * Registers one TraefikService of the plan.
 * @param opts `dependsOn` its middlewares
 */
export function traefikService(
  service: TraefikService,
  opts: pulumi.CustomResourceOptions,
): k8s.apiextensions.CustomResource {
  const { name, namespace } = service;
  return new k8s.apiextensions.CustomResource(
    `${name}-traefik-service`,
    {
      apiVersion: TRAEFIK_API,
      kind: "TraefikService",
      metadata: { name, namespace },
      spec: traefikServiceSpec(service),
    },
    opts,
  );
}
