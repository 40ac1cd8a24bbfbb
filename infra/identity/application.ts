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
  const application = new authentik.Application(
    `${name}-application`,
    {
      name: args.application.name,
      slug: args.application.slug,
      group: args.service,
      protocolProvider: args.providerId,
      metaLaunchUrl: args.launchUrl,
    },
    args.child,
  );
  if (args.groups.length === 0) return [application];
  const binding = { target: application.uuid, policy: args.access.policyId(args.groups), order: 0 };
  // authentik deletes it with the application. The engine would delete it first: without it every user may sign in, until all other bindings are deleted, too.
  const bound = { ...args.child, deletedWith: application };
  return [application, new authentik.PolicyBinding(`${name}-binding`, binding, bound)];
}
