import { type Paint, SIGNS } from "../../terminal/paint.ts";
import { counted } from "../../text.ts";
import { type Change, nameOf, shapeOf } from "./compare.ts";
import type { Comparison } from "./comparison.ts";

/** Returns a title, the changes of a schema, and an empty line; an empty text without changes. */
export function describeComparison({ schema, exposed, file, changes = [] }: Comparison, paint: Paint): string {
  if (exposed && changes.length === 0) return "";
  const count = changes.length === 0 ? "no relations" : countChanges(changes);
  const title = `${schema}${exposed ? "" : ", no longer exposed,"} compared with ${file}: ${count}`;
  const lines = changes.length === 0 ? [] : ["", ...describeChanges(changes, paint)];
  return [title, ...lines, "", ""].join("\n");
}

/** Returns one line per change, the breaking ones first, aligned. */
export function describeChanges(changes: readonly Change[], paint: Paint): string[] {
  const ordered = [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
  const names = width(ordered.map(nameOf));
  const shapes = width(ordered.map(shapeOf));
  return ordered.map((change) => {
    const text = `${nameOf(change).padEnd(names)}  ${shapeOf(change).padEnd(shapes)}  ${change.reason}`;
    return `  ${paint(change.breaking ? "red" : "green", `${markOf(change)} ${text}`)}`;
  });
}

/** Returns `2 breaking changes, 1 other` or, if none breaks clients, `nothing breaks, 3 changes`. */
export function countChanges(changes: readonly Change[]): string {
  const breaking = changes.filter((change) => change.breaking).length;
  const others = changes.length - breaking;
  if (breaking === 0) return `nothing breaks, ${counted(others, "change")}`;
  const rest = others === 0 ? "" : `, ${others} other`;
  return `${counted(breaking, "breaking change")}${rest}`;
}

function markOf({ breaking, was }: Change): string {
  if (breaking) return SIGNS.failed;
  return was === undefined ? "+" : "~";
}

function width(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}
