import * as pulumi from "@pulumi/pulumi";

/**
 * Returns the option for a resource that was a child of a component that programs no longer have, so that the engine keeps the resource of
 * an older deployment.
 * @param type of the component
 * @param name of the component
 * @param parent of the component
 */
export function onceIn(
  type: string,
  name: string,
  parent: pulumi.Resource | pulumi.Output<string> | undefined,
): { aliases: pulumi.Alias[] } {
  return { aliases: [{ parent: pulumi.createUrn(name, type, parent) }] };
}
