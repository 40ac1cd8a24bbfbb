import { at, listOf, type Manifest, textAt } from "./resource.ts";

/** Kinds of middlewares that refuse requests of others. */
export const GUARDS: ReadonlySet<string> = new Set([
  "basicAuth",
  "digestAuth",
  "forwardAuth",
  "ipAllowList",
  "ipWhiteList",
]);

/**
 * Returns the kinds of Middlewares, e.g. `forwardAuth`, also of those in chains; `unknown` for one that does not exist.
 * @param references as `<namespace>/<name>`
 */
export function middlewareKinds(references: readonly string[], manifests: readonly Manifest[]): string[] {
  const all = new Map(
    manifests.filter(({ kind }) => kind === "Middleware").map((one) => [`${one.namespace}/${one.objectName}`, one]),
  );
  const names = new Set(references);
  const kinds = new Set<string>();
  // A set visits what is added while it is iterated, and each name once.
  for (const name of names) {
    const middleware = all.get(name);
    for (const kind of Object.keys(middleware?.spec ?? { unknown: {} })) kinds.add(kind);
    for (const one of listOf(at(middleware?.spec, "chain", "middlewares")))
      names.add(`${textAt(one, "namespace") ?? middleware?.namespace}/${textAt(one, "name")}`);
  }
  return [...kinds];
}
