import type { VNode } from "preact";
import { visible } from "../../text/visible.ts";

/** A text from the data. `bdi` keeps its direction from changing the text around it, and invisible characters are shown as codes. */
export function Datum({ children }: { children: string }): VNode {
  return <bdi>{visible(children)}</bdi>;
}
