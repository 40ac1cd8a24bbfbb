/** The static options of a Traefik, as the arguments of its container state them. */

/** Value of each option by its name in lower case, e.g. `entrypoints.web.address`: Traefik ignores the case of names. Empty for a flag. */
export type Options = ReadonlyMap<string, string>;

/** @param args e.g. `--entryPoints.web.address=:8000/tcp` */
export function optionsOf(args: readonly string[]): Options {
  const pairs = args.flatMap((arg): [string, string][] => {
    const match = /^--?([^=]+)=?(.*)$/.exec(arg);
    return match === null ? [] : [[(match[1] ?? "").toLowerCase(), match[2] ?? ""]];
  });
  return new Map(pairs);
}

/** Returns the names of the entry points, in lower case. */
export function entryPointsOf(options: Options): string[] {
  return [...new Set([...options.keys()].flatMap((name) => /^entrypoints\.([^.]+)/.exec(name)?.[1] ?? []))];
}
