import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import { shortened, visible } from "../../text/visible.ts";

interface Chip {
  readonly name: string;
  readonly remove: () => void;
}

interface Props {
  readonly chips: readonly Chip[];
  readonly clear: () => void;
  /** Returns the element that gets the focus when no filter is left. */
  readonly rest: () => HTMLElement | null | undefined;
}

/**
 * The active filters of the list or the table: a button that removes each, and a button that removes all. When a button is removed, the
 * next one gets its focus.
 */
export function Chips({ chips, clear, rest }: Props): VNode | null {
  const { t } = useText();
  const list = useRef<HTMLDivElement>(null);
  const removed = useRef<number | null>(null);
  useEffect(() => {
    if (removed.current === null) return;
    const left = [...(list.current?.querySelectorAll<HTMLElement>(".chip") ?? [])];
    (left[Math.min(removed.current, left.length - 1)] ?? rest())?.focus();
    removed.current = null;
  }, [chips.length]);
  const remove = (index: number, action: () => void): void => {
    removed.current = index;
    action();
  };
  if (chips.length === 0) return null;
  return (
    <div class="chips" ref={list}>
      {chips.map((chip, index) => (
        <button
          key={chip.name}
          type="button"
          class="chip"
          aria-label={t("remove", { name: visible(chip.name) })}
          onClick={() => remove(index, chip.remove)}
        >
          <bdi>{visible(shortened(chip.name, 80).text)}</bdi> <span aria-hidden="true">×</span>
        </button>
      ))}
      <button type="button" class="link" onClick={() => remove(0, clear)}>
        {t("clearAll")}
      </button>
    </div>
  );
}
