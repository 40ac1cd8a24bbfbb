/** Path prefixes that stay open. */
import { publicPath } from "../../config/schema/fields.ts";
import type { PathMatch } from "./matches.ts";

const SCHEMA = publicPath();

/** Returns whether a path is valid in `public_paths`. */
export function isSimplePath(path: string): boolean {
  return SCHEMA.safeParse(path).success;
}

/** Returns whether a path exists that both match. */
export function overlap(a: PathMatch, b: PathMatch): boolean {
  return matchesIn(a, b) || matchesIn(b, a);
}

/** Returns whether the path of `inner` is one that `outer` matches. */
function matchesIn(inner: PathMatch, outer: PathMatch): boolean {
  return outer.kind === "prefix"
    ? inner.path.startsWith(outer.path)
    : inner.kind === "exact" && inner.path === outer.path;
}

/** Returns how a prefix of `public_paths` opens less than the rule that it comes from; none if it opens the same. */
export function narrowing({ path }: PathMatch): string[] {
  return path.endsWith("/") ? [] : [`of the open paths ${path}* only ${path} and ${path}/… stay open`];
}
