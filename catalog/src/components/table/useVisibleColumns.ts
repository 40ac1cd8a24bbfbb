import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import { type Column, familyOf } from "../../state/columns.ts";

interface VisibleColumns {
  /** Indexes of the visible columns. */
  readonly shown: readonly number[];
  /** Widths of the columns before and after them, in pixels. */
  readonly before: number;
  readonly after: number;
}

/** Returns the width of a column in pixels: enough for its name and for values of its type. */
export function widthOf(column: Column): number {
  return Math.min(320, Math.max(widthOfValues(column), column.name.length * 9 + 60));
}

function widthOfValues(column: Column): number {
  if (column.type.startsWith("timestamp")) return 290;
  return familyOf(column) === "number" || familyOf(column) === "boolean" ? 110 : 190;
}

/** Returns the columns in the visible part of an element that scrolls horizontally. */
export function useVisibleColumns(frame: RefObject<HTMLElement>, columns: readonly Column[]): VisibleColumns {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const options = {
    horizontal: true,
    count: columns.length,
    overscan: 4,
    getScrollElement: () => frame.current,
    estimateSize: (index: number) => widthOf(columns[index] as Column),
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    initialRect: { width: 1200, height: 600 },
    onChange: () => render(0),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, columns]);
  const items = virtualizer.getVirtualItems();
  return {
    shown: items.map(({ index }) => index),
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
  };
}
