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

/**
 * Returns the options of resources that were in such a component and had its name, by the end of their names.
 * @param child their options without aliases
 */
export function onceNamed(
  type: string,
  name: string,
  child: pulumi.CustomResourceOptions,
): (end: string) => pulumi.CustomResourceOptions {
  const { aliases } = onceIn(type, name, child.parent);
  return (end) => {
    const before = { name: `${name}-${end}` };
    return { ...child, aliases: [before, ...aliases.map((alias) => ({ ...alias, ...before }))] };
  };
}
