import type { Relation } from "./live.ts";

/** How something is reached from an exposed relation: each once, on a shortest path. */
export interface Path {
  /** Names of the relations on the path. */
  readonly through: readonly string[];
  /** The last of them, which reads with its owner's rights. */
  readonly reader: Relation | undefined;
  /** Whether one of them is a materialized view, which calls its functions with its owner's rights when it is filled. */
  readonly filled: boolean;
}

export function pathText(through: readonly string[]): string {
  return through.length === 0 ? "" : ` through ${through.join(" → ")}`;
}
