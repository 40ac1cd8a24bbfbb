import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Service } from "../../config/settings.ts";
import type { Middleware } from "../plan/types.ts";
import { BasicAuthUsers } from "./basicAuth.ts";
import { authPath, middlewareSpec, TRAEFIK_API } from "./specs.ts";

export interface GatewayMiddlewareArgs {
  readonly middleware: Middleware;
  /** Address of an outpost, by its name, as the gateway reaches it. */
  readonly outpostUrl: (outpost: string) => pulumi.Input<string>;
  /** Where the credentials of a basic service are found. */
  readonly services: readonly Service[];
}

/** One Traefik Middleware of the plan. */
export class GatewayMiddleware extends pulumi.ComponentResource {
  constructor(name: string, args: GatewayMiddlewareArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Middleware", name, {}, opts);
    const { middleware, outpostUrl, services } = args;
    const { name: objectName, namespace } = middleware;
    const spec = middlewareSpec<pulumi.Input<string>>(middleware, {
      authAddress: ({ outpost, refusal }) => pulumi.interpolate`${outpostUrl(outpost)}${authPath(refusal)}`,
      users: (basic) => new BasicAuthUsers(name, { middleware: basic, services }, { parent: this }).secretName,
    });
    new k8s.apiextensions.CustomResource(
      `${name}-middleware`,
      { apiVersion: TRAEFIK_API, kind: "Middleware", metadata: { name: objectName, namespace }, spec },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
