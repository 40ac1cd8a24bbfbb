import * as authentik from "#authentik";
import type * as pulumi from "@pulumi/pulumi";
import type { ApplicationRecord } from "../plan/types.ts";
import type { GroupAccess } from "./groupAccess.ts";

interface ApplicationArgs {
  readonly application: ApplicationRecord;
  /** Name of the service, which groups its exposures in the portal. */
  readonly service: string;
  readonly launchUrl: string;
  readonly providerId: pulumi.Input<number>;
  /** Allowed groups; empty = everyone who can sign in. */
  readonly groups: readonly string[];
  readonly access: GroupAccess;
  /** The options of both resources. */
  readonly child: pulumi.CustomResourceOptions;
}

/**
 * Registers an application in authentik's portal, and the binding to its allowed groups.
 * @param name prefix of the resources' names
 * @returns both
 */
export function registerApplication(name: string, args: ApplicationArgs): pulumi.Resource[] {
  const { application, groups, child } = args;
  const fields = {
    name: application.name,
    slug: application.slug,
    group: args.service,
    protocolProvider: args.providerId,
    metaLaunchUrl: args.launchUrl,
  };
  if (groups.length === 0) return [new authentik.Application(`${name}-application`, fields, child)];
  return registerBound(name, fields, args.access.policy(groups), child);
}

/**
 * Registers an application, and the binding to the policy that admits its users.
 * @param name prefix of the resources' names
 * @returns both
 */
export function registerBound(
  name: string,
  fields: authentik.ApplicationArgs,
  policy: authentik.PolicyExpression,
  child: pulumi.CustomResourceOptions,
): [authentik.Application, authentik.PolicyBinding] {
  // So that it is deleted before the policy: each takes the binding along, and authentik answers 405 if both do so at once (measured).
  const application = new authentik.Application(`${name}-application`, fields, { ...child, dependsOn: [policy] });
  const binding = new authentik.PolicyBinding(
    `${name}-binding`,
    { target: application.uuid, policy: policy.id, order: 0 },
    // authentik deletes it with the application. The engine would delete it first: without it every user may sign in, until all other
    // bindings are deleted, too.
    { ...child, deletedWith: application },
  );
  return [application, binding];
}
