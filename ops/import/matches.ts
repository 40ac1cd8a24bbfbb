/** The hosts and paths of Traefik's rules, as far as an entry of `protected_services` can express them. */
import { type Matcher, parseMatcher, plainHost } from "../../manifests/matcher.ts";

export interface PathMatch {
  /** `exact`: one path. `prefix`: every path that starts with the text. */
  readonly kind: "exact" | "prefix";
  readonly path: string;
}

type Call = Extract<Matcher, { is: "call" }>;

/** Returns the hosts and paths of a rule (none = every path), or why they cannot be written as an entry. */
export function hostsAndPaths(rule: string) {
  const matcher = parseMatcher(rule);
  if (matcher === undefined) return "its rule cannot be parsed";
  const hosts: string[][] = [];
  const paths: PathMatch[][] = [];
  for (const part of conjuncts(matcher)) {
    const calls = alternatives(part);
    if (calls === undefined) return "its rule combines hosts and paths with ! or ||";
    const other = calls.find(({ name }) => !isHost(name) && !isPath(name));
    if (other !== undefined)
      return `its rule has the matcher ${other.name}, and an entry selects requests by host only`;
    if (calls.every(({ name }) => isHost(name))) hosts.push(calls.flatMap(({ values }) => values.map(plainHost)));
    else if (calls.every(({ name }) => isPath(name))) paths.push(calls.flatMap(pathsOf));
    else return "its rule combines hosts and paths with ||";
  }
  const [named, otherHosts] = hosts;
  if (named === undefined) return "its rule names no host";
  if (otherHosts !== undefined || paths.length > 1) return "its rule combines several hosts or paths with &&";
  if (named.some((host) => host.includes("*"))) return "its rule has a wildcard for a host";
  return { hosts: [...new Set(named)], paths: isWhole(paths[0] ?? []) ? [] : (paths[0] ?? []) };
}

/** Returns whether paths include every path of a host; none = every path. */
export function isWhole(paths: readonly PathMatch[]): boolean {
  return paths.length === 0 || paths.some(({ kind, path }) => kind === "prefix" && path === "/");
}

function conjuncts(matcher: Matcher): Matcher[] {
  return matcher.is === "and" ? [...conjuncts(matcher.left), ...conjuncts(matcher.right)] : [matcher];
}

/** Returns the calls that `||` joins; undefined for anything else. */
function alternatives(matcher: Matcher): Call[] | undefined {
  if (matcher.is === "call") return [matcher];
  if (matcher.is !== "or") return undefined;
  const [left, right] = [alternatives(matcher.left), alternatives(matcher.right)];
  return left && right && [...left, ...right];
}

function isHost(name: string): boolean {
  return name === "host";
}

function isPath(name: string): boolean {
  return name === "path" || name === "pathprefix";
}

function pathsOf({ name, values }: Call): PathMatch[] {
  return values.map((path) => ({ kind: name === "path" ? "exact" : "prefix", path }));
}
