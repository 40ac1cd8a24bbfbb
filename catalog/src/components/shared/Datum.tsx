import type { VNode } from "preact";
import { visible } from "../../text/visible.ts";

/** A text of the data: shown as it is, in a direction of its own, with what is invisible made visible. */
export function Datum({ children }: { children: string }): VNode {
  return <bdi>{visible(children)}</bdi>;
}
