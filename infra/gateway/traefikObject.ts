import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { TRAEFIK_API } from "./specs.ts";

interface TraefikObjectArgs {
  readonly kind: "IngressRoute" | "Middleware" | "TraefikService";
  readonly name: string;
  readonly namespace: string;
  readonly spec: pulumi.Input<object>;
}

/**
 * Registers one object of Traefik.
 * @param resource name of the resource
 * @param opts `dependsOn` what it refers to: a route whose middleware is missing answers 404, so nothing is served half protected
 */
export function traefikObject(
  resource: string,
  { kind, name, namespace, spec }: TraefikObjectArgs,
  opts: pulumi.CustomResourceOptions,
): k8s.apiextensions.CustomResource {
  const object = { apiVersion: TRAEFIK_API, kind, metadata: { name, namespace }, spec };
  return new k8s.apiextensions.CustomResource(resource, object, opts);
}
