/** The static options of a Traefik, as the arguments of its container state them. */

/** Value of each option by its name in lower case, e.g. `entrypoints.web.address`: Traefik ignores the case of names. Empty for a flag. */
export type Options = ReadonlyMap<string, string>;

/**
 * Returns the options of arguments, as Traefik and ExternalDNS read them: a value is in the same argument or in the next one.
 * @param args e.g. `--entryPoints.web.address=:8000/tcp`
 * @returns repeated values joined by commas
 */
export function optionsOf(args: readonly string[]): Options {
  const options = new Map<string, string>();
  for (const [index, arg] of args.entries()) {
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    const next = args[index + 1] ?? "";
    const given = value ?? (next.startsWith("-") ? "" : next);
    const earlier = options.get(name.toLowerCase());
    options.set(name.toLowerCase(), earlier ? `${earlier},${given}` : given);
  }
  return options;
}

/** Returns whether a flag is on: without a value, or with one that Go's `strconv.ParseBool` reads as true. */
export function isOn(options: Options, name: string): boolean {
  const value = options.get(name.toLowerCase());
  return value !== undefined && !["0", "f", "false"].includes(value.toLowerCase());
}

/**
 * Returns the names of the middlewares that an entry point adds to each of its routes, as `<namespace>-<name>@kubernetescrd`, and the option that lists them.
 * Traefik reads a list also from options with an index.
 */
export function entryPointMiddlewares(options: Options, entryPoint: string) {
  const option = `entryPoints.${entryPoint}.http.middlewares`;
  const values = [...options].filter(([name]) => name.replace(/\[\d+\]$/, "") === option.toLowerCase());
  return { option, names: values.flatMap(([, value]) => value.split(",")).map((name) => name.trim()) };
}

/** Returns the names of the entry points, in lower case. */
export function entryPointsOf(options: Options): string[] {
  return [...new Set([...options.keys()].flatMap((name) => /^entrypoints\.([^.]+)/.exec(name)?.[1] ?? []))];
}
