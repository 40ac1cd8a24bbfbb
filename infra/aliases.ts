import * as pulumi from "@pulumi/pulumi";

/** In the URN of everything in the component that is now around all others. No program had it and one of {@link onceIn}. */
const AROUND = "gatehouse:index:Gatehouse$";

/** Returns the option for a child of the component that is now around all others, so that the engine keeps what older programs deployed. */
export function onceInStack(parent: pulumi.Resource): pulumi.ComponentResourceOptions {
  return { parent, aliases: [{ parent: pulumi.rootStackResource }] };
}

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
  return { aliases: [{ parent: pulumi.createUrn(name, type, parent).apply((urn) => urn.replace(AROUND, "")) }] };
}

/** Returns the option for a resource that had another name in older programs. @param once what {@link onceIn} returns for it */
export function onceNamed(
  name: string,
  { aliases }: { readonly aliases: readonly pulumi.Alias[] },
): { aliases: pulumi.Alias[] } {
  return { aliases: [{ name }, ...aliases.map((alias) => ({ ...alias, name }))] };
}
