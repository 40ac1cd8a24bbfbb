import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Service } from "../../config/settings.ts";
import { authPath } from "../../protections/forwardAuth.ts";
import type { Middleware } from "../plan/types.ts";
import { basicAuthUsers } from "./basicAuth.ts";
import { middlewareSpec } from "./specs.ts";
import { traefikObject } from "./traefikObject.ts";

interface GatewayMiddlewareArgs {
  readonly middleware: Middleware;
  /** Address of an outpost, by its name, as the gateway reaches it. */
  readonly outpostUrl: (outpost: string) => pulumi.Input<string>;
  /** Where the credentials of a basic service are found. */
  readonly services: readonly Service[];
}

/** Registers one Traefik Middleware of the plan, and the Secret that it reads. @param name prefix of the resources' names */
export function registerMiddleware(
  name: string,
  { middleware, outpostUrl, services }: GatewayMiddlewareArgs,
  child: pulumi.CustomResourceOptions,
): k8s.apiextensions.CustomResource {
  const spec = middlewareSpec<pulumi.Input<string>>(middleware, {
    authAddress: ({ outpost, refusal }) => pulumi.interpolate`${outpostUrl(outpost)}${authPath(refusal)}`,
    users: (basic) => basicAuthUsers(name, { middleware: basic, services }, child).metadata.name,
  });
  return traefikObject(`${name}-middleware`, { ...middleware, kind: "Middleware", spec }, child);
}
